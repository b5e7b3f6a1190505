import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSearchParams } from "react-router";
import type { Page, Tenant, UserAllowance } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { limitText } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { AllowanceDialog } from "./allowance-dialog.js";

/** Users are named by the tenant and never made, so one is looked up by its name. */
export function UsersTab({ tenant }: { readonly tenant: Tenant }) {
  const [params, setParams] = useSearchParams();
  const user = params.get("user") ?? "";
  const [typed, setTyped] = useState(user);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setParams(typed === "" ? {} : { user: typed });
  };
  return (
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
      {user !== "" && <User key={user} tenant={tenant} user={user} />}
    </Panel>
  );
}

function User({ tenant, user }: { readonly tenant: Tenant; readonly user: string }) {
  const path = `/v1/admin/tenants/${tenant.id}/users/${encodeURIComponent(user)}/allowances`;
  const [editing, setEditing] = useState<UserAllowance | null>(null);
  return (
    <Loaded query={useGet<Page<UserAllowance>>(path, 5_000)}>
      {({ data }) => (
        <div className={css.grid}>
          {data.length === 0 && <p className={css.muted}>Nothing binds this user besides the tenant.</p>}
          {data.map((allowance) => (
            <div key={allowance.unit} className={css.stack}>
              <BalanceBar balance={allowance.balance} />
              <p className={css.muted}>Limit {limitText(allowance.limit)}</p>
              <div className={css.actions}>
                <Button size="xs" variant="default" onClick={() => setEditing(allowance)}>
                  Edit {allowance.unit} …
                </Button>
              </div>
            </div>
          ))}
          {editing && (
            <AllowanceDialog path={path} unit={editing.unit} current={editing} onClose={() => setEditing(null)} />
          )}
        </div>
      )}
    </Loaded>
  );
}
