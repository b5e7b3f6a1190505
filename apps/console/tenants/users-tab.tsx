import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useSearchParams } from "react-router";
import type { Tenant, User } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { Acting } from "./acting.js";
import { UserPanel } from "./user-panel.js";

const REFRESH_MS = 10_000;

const COLUMNS: readonly Column<User>[] = [
  { title: "User", cell: ({ user }) => <Link to={`?${new URLSearchParams({ user }).toString()}`}>{user}</Link> },
  { title: "Own limits", cell: ({ ownLimits }) => ownLimits.join(", ") },
  {
    title: "Figures",
    cell: ({ balances }) => (
      <div className={css.stack}>
        {balances.map((balance) => (
          <BalanceBar key={balance.unit} balance={balance} />
        ))}
      </div>
    ),
  },
];

/** Users are named by the tenant and never made: listed are those that it has named, and any other may be looked up. */
export function UsersTab({ tenant }: { readonly tenant: Tenant }) {
  const [params, setParams] = useSearchParams();
  const user = params.get("user") ?? "";
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setParams(typed === "" ? {} : { user: typed });
  };
  return (
    <>
      {user !== "" && (
        <Acting tenant={tenant}>
          <UserPanel key={user} tenant={tenant} user={user} />
        </Acting>
      )}
      <Panel title="Users">
        <form className={css.filters} onSubmit={submit}>
          <TextInput
            label="Name of the user"
            value={typed}
            maxLength={200}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Show
          </Button>
        </form>
        <PagedTable
          label="Users"
          path={`/v1/admin/tenants/${tenant.id}/users`}
          columns={COLUMNS}
          rowKey={(row) => row.user}
          empty="It has named no user yet."
          refreshMs={REFRESH_MS}
        />
      </Panel>
    </>
  );
}
