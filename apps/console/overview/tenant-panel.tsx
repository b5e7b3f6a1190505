import { Link } from "react-router";
import type { Balance, Page } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";

const REFRESH_MS = 3_000;

/** What a tenant's own key shows. */
export function TenantPanel() {
  const balances = useGet<Page<Balance>>("/v1/balances", REFRESH_MS);
  return (
    <Panel title="Allowances" aside={<Link to="/jobs">Jobs</Link>}>
      <Loaded query={balances}>
        {({ data }) => (
          <div className={css.grid}>
            {data.map((balance) => (
              <BalanceBar key={balance.unit} balance={balance} />
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
