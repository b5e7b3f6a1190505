import type { Balance, Page } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { useGet } from "../data/use-get.js";

const REFRESH_MS = 10_000;

/** A bar for each unit of a tenant. Rows outside the window are not in the page, so that only what is seen is asked for. */
export function TenantBars({ tenantId }: { readonly tenantId: string }) {
  const { data, isError } = useGet<Page<Balance>>(`/v1/admin/tenants/${tenantId}/balances`, REFRESH_MS);
  if (isError) return <span className={css.muted}>figures cannot be had now</span>;
  if (data === undefined) return <span className={css.muted}>…</span>;
  if (data.data.length === 0) return <span className={css.muted}>none</span>;
  return (
    <div className={css.stack}>
      {data.data.map((balance) => (
        <BalanceBar key={balance.unit} balance={balance} />
      ))}
    </div>
  );
}
