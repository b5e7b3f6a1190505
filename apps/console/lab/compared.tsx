import type { Difference, LabRun, Measured } from "#libs/plan";
import table from "../frame/table.module.css";
import { TOTALS } from "./totals.js";
import { count, shown } from "./words.js";
import css from "./lab.module.css";

interface Props {
  readonly model: LabRun;
  readonly measured: Measured;
  readonly differences: readonly Difference[];
}

/** Both results side by side. */
export function Compared({ model, measured, differences }: Props) {
  const { jobs, children, attempts, cost, jobAllowance, tenantAllowance, mode } = model.inputs;
  return (
    <>
      <div className={table.scroll}>
        <table className={table.table} data-testid="compared">
          <caption>
            {shown(jobs)} jobs of {shown(children)} × {shown(attempts)} × {shown(cost)}, job {shown(jobAllowance)},
            tenant {shown(tenantAllowance)}, {mode}
          </caption>
          <thead>
            <tr>
              <th scope="col">Total</th>
              <th scope="col" className={table.right}>
                Model
              </th>
              <th scope="col" className={table.right}>
                Service
              </th>
            </tr>
          </thead>
          <tbody>
            {TOTALS.map(({ name, title, unit }) => (
              <tr key={name}>
                <th scope="row">{title}</th>
                <td className={`number ${table.right}`}>
                  {shown(model.totals[name])} {unit}
                </td>
                <td className={`number ${table.right}`}>
                  {shown(measured.totals[name])} {unit}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {differences.length === 0 ? (
        <p className={css.agrees} role="status">
          Every decision and every figure of the service is what the model says.
        </p>
      ) : (
        <div role="alert">
          <p className={css.error}>{count(differences.length, "fact")} of the service differ from the model:</p>
          <ul className={css.suggestions}>
            {differences.map(({ where, field, measured: got, model: said }) => (
              <li key={`${where} ${field}`}>
                {where}: {field} is {String(got)}, the model says {String(said)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
