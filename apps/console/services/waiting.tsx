import { Link } from "react-router";
import { amount } from "../data/format.js";
import css from "../data/data.module.css";
import { Panel } from "../frame/panel.js";
import table from "../frame/table.module.css";

/** The queue by tenant, the longest first. */
export function Waiting({ waiting }: { readonly waiting: Readonly<Record<string, number>> }) {
  const rows = Object.entries(waiting).sort(([, a], [, b]) => b - a);
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
            {rows.map(([tenant, count]) => (
              <tr key={tenant}>
                <td>
                  <Link to={`/tenants/${tenant}`}>{tenant}</Link>
                </td>
                <td className={`number ${table.right}`}>{amount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
