import { amount } from "../data/format.js";
import css from "../data/data.module.css";
import { Panel } from "../frame/panel.js";
import { TenantLink } from "../tenants/tenant-link.js";
import table from "../frame/table.module.css";

/** So many are shown, of thousands. */
const MOST = 50;

/** The queue by tenant, the longest first. */
export function Waiting({ waiting }: { readonly waiting: Readonly<Record<string, number>> }) {
  const rows = Object.entries(waiting).sort(([, a], [, b]) => b - a);
  const more = rows.length - MOST;
  return (
    <Panel title="Queue by tenant">
      {rows.length === 0 ? (
        <p className={css.muted}>Nobody waits.</p>
      ) : (
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              <th scope="col" className={table.right}>
                Callers that wait
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST).map(([tenant, count]) => (
              <tr key={tenant}>
                <td>
                  <TenantLink tenantId={tenant} />
                </td>
                <td className={`number ${table.right}`}>{amount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more > 0 && <p className={css.muted}>and {amount(more)} more tenants</p>}
    </Panel>
  );
}
