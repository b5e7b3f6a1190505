import { Button } from "@mantine/core";
import { useState } from "react";
import type { Balance, Page, Tenant } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { amounts, limitText } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { AdjustDialog } from "./adjust-dialog.js";
import { AllowanceDialog } from "./allowance-dialog.js";

const REFRESH_MS = 3_000;

type Open =
  { readonly kind: "edit"; readonly unit: string | null } | { readonly kind: "adjust"; readonly unit: string };

export function AllowancesTab({ tenant }: { readonly tenant: Tenant }) {
  const base = `/v1/admin/tenants/${tenant.id}`;
  const balances = useGet<Page<Balance>>(`${base}/balances`, REFRESH_MS);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <Panel
        title="Allowances"
        aside={
          <Button size="xs" variant="default" onClick={() => setOpen({ kind: "edit", unit: null })}>
            Another unit …
          </Button>
        }
      >
        <Loaded query={balances}>
          {({ data }) => (
            <div className={css.grid}>
              {data.map((balance) => (
                <Allowance key={balance.unit} balance={balance} tenant={tenant} onOpen={setOpen} />
              ))}
            </div>
          )}
        </Loaded>
      </Panel>
      <Panel title="Defaults">
        <p>Each job: {amounts(tenant.jobAllowance)}</p>
        <p>Each user: {amounts(tenant.userAllowance)}</p>
      </Panel>
      {open?.kind === "edit" && (
        <AllowanceDialog
          path={`${base}/allowances`}
          unit={open.unit}
          current={open.unit === null ? undefined : tenant.allowances[open.unit]}
          taken={Object.keys(tenant.allowances)}
          onClose={close}
        />
      )}
      {open?.kind === "adjust" && (
        <AdjustDialog path={`${base}/allowances/${open.unit}/adjust`} unit={open.unit} onClose={close} />
      )}
    </>
  );
}

interface AllowanceProps {
  readonly balance: Balance;
  readonly tenant: Tenant;
  readonly onOpen: (open: Open) => void;
}

function Allowance({ balance, tenant, onOpen }: AllowanceProps) {
  const { unit } = balance;
  const setting = tenant.allowances[unit];
  return (
    <div className={css.stack}>
      <BalanceBar balance={balance} />
      <p className={css.muted}>
        Limit {limitText(balance.limit)}
        {setting && setting.period !== "none" ? ` each ${setting.period}, ${setting.timeZone}` : ", without a period"}
      </p>
      <div className={css.actions}>
        <Button size="xs" variant="default" onClick={() => onOpen({ kind: "edit", unit })}>
          Edit {unit} …
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={balance.limit === "unlimited"}
          onClick={() => onOpen({ kind: "adjust", unit })}
        >
          Top up or cut {unit} …
        </Button>
      </div>
    </div>
  );
}
