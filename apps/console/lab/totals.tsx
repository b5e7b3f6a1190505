import type { LabRun, Totals as TotalsOf } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import { shown } from "./words.js";
import css from "./lab.module.css";

interface Row {
  readonly name: keyof TotalsOf;
  readonly title: string;
  readonly unit: "units" | "jobs";
}

/** One list for the page and for the comparison with a live run. */
export const TOTALS: readonly Row[] = [
  { name: "planned", title: "Planned", unit: "units" },
  { name: "admitted", title: "Admitted", unit: "jobs" },
  { name: "denied", title: "Denied", unit: "jobs" },
  { name: "consumed", title: "Consumed", unit: "units" },
  { name: "overAllowance", title: "Over the allowance", unit: "units" },
];

/** Of the complete run, whatever the trace shows. */
export function Totals({ run: { totals } }: { readonly run: LabRun }) {
  return (
    <Panel title="Totals of the complete run">
      <dl className={css.totals}>
        {TOTALS.map(({ name, title, unit }) => (
          <div key={name} className={css.total} data-alarm={isAlarm(name, totals[name])} data-testid={`total-${name}`}>
            <dt>{title}</dt>
            <dd>
              <b>{shown(totals[name])}</b> <small>{unit}</small>
            </dd>
          </div>
        ))}
      </dl>
      {totals.observed > 0 && (
        <p className={css.meaning}>
          {shown(totals.observed)} of the admitted jobs would have been denied by enforcement.
        </p>
      )}
    </Panel>
  );
}

function isAlarm(name: keyof TotalsOf, value: number): boolean {
  return value > 0 && (name === "denied" || name === "overAllowance");
}
