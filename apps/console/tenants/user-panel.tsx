import { Button } from "@mantine/core";
import { useState } from "react";
import type { Balance, Page, Tenant, UserAllowance } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { limitText } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet, withQuery } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { RemoveDialog } from "../frame/remove-dialog.js";
import { AllowanceDialog } from "./allowance-dialog.js";

const REFRESH_MS = 5_000;

/** What binds one user, and its own limits over the defaults. */
export function UserPanel({ tenant, user }: { readonly tenant: Tenant; readonly user: string }) {
  const base = `/v1/admin/tenants/${tenant.id}`;
  const path = `${base}/users/${encodeURIComponent(user)}/allowances`;
  const balances = useGet<Page<Balance>>(withQuery(`${base}/balances`, { scope: `user:${user}` }), REFRESH_MS);
  const own = useGet<Page<UserAllowance>>(path, REFRESH_MS);
  const [editing, setEditing] = useState<string | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  const ownIn = (unit: string) => own.data?.data.find((one) => one.unit === unit);
  return (
    <Panel title={`User ${user}`}>
      <Loaded query={balances}>
        {({ data }) => (
          <div className={css.grid}>
            {data.map((balance) => (
              <div key={balance.unit} className={css.stack}>
                <BalanceBar balance={balance} />
                <p className={css.muted}>
                  Limit {limitText(balance.limit)}
                  {ownIn(balance.unit) ? ", its own" : ""}
                </p>
                <div className={css.actions}>
                  <Button size="xs" variant="default" onClick={() => setEditing(balance.unit)}>
                    Own limit in {balance.unit} …
                  </Button>
                  {ownIn(balance.unit) && (
                    <Button size="xs" variant="default" onClick={() => setRemoving(balance.unit)}>
                      Remove own limit in {balance.unit} …
                    </Button>
                  )}
                </div>
              </div>
            ))}
          </div>
        )}
      </Loaded>
      {editing !== null && (
        <AllowanceDialog
          path={path}
          unit={editing}
          current={ownIn(editing)}
          inherits
          onClose={() => setEditing(null)}
        />
      )}
      {removing !== null && (
        <RemoveDialog
          title={`Remove the own limit of ${user} in ${removing}?`}
          path={`${path}/${removing}`}
          onClose={() => setRemoving(null)}
        >
          <p>What the tenant sets for each user then binds, if it sets anything. What was taken stays taken.</p>
        </RemoveDialog>
      )}
    </Panel>
  );
}
