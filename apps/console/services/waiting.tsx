import { amount } from "../data/format.js";
import css from "../data/data.module.css";
import { Panel } from "../frame/panel.js";
import { TenantLink } from "../tenants/tenant-link.js";
import table from "../frame/table.module.css";

/** So many are shown, of thousands. */
const MOST = 50;

interface Props {
  /** Tenant → callers. */
  readonly waiting: Readonly<Record<string, number>>;
  /** Tenant → attempts in flight. */
  readonly holders: Readonly<Record<string, number>>;
}

/** The queue by tenant, the longest first; then who holds the most places. */
export function Waiting({ waiting, holders }: Props) {
  const rows = [...new Set([...Object.keys(waiting), ...Object.keys(holders)])]
    .map((tenant) => ({ tenant, waits: waiting[tenant] ?? 0, holds: holders[tenant] ?? 0 }))
    .sort((a, b) => b.waits - a.waits || b.holds - a.holds);
  const more = rows.length - MOST;
  return (
    <Panel title="Queue by tenant">
      {rows.length === 0 ? (
        <p className={css.muted}>Nobody waits, and nothing is in flight.</p>
      ) : (
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              <th scope="col" className={table.right}>
                Callers that wait
              </th>
              <th scope="col" className={table.right}>
                In flight
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST).map(({ tenant, waits, holds }) => (
              <tr key={tenant}>
                <td>
                  <TenantLink tenantId={tenant} />
                </td>
                <td className={`number ${table.right}`}>{amount(waits)}</td>
                <td className={`number ${table.right}`}>{amount(holds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more > 0 && <p className={css.muted}>and {amount(more)} more tenants</p>}
    </Panel>
  );
}
