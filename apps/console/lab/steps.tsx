import type { Decision } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import table from "../frame/table.module.css";
import { Tag, type Tone } from "../frame/tag.js";
import type { Lab } from "./use-lab.js";
import { OUTCOMES, reasonOf, shown } from "./words.js";

const TONES: Readonly<Record<Decision["outcome"], Tone>> = { admitted: "good", denied: "bad", observed: "warned" };
const HEADS = ["Job", "Planned", "Decision", "Decided by", "Tenant had", "Tenant has left"];

export function Steps({ lab: { run, step } }: { readonly lab: Lab }) {
  const decisions = run.decisions.slice(0, step);
  return (
    <Panel title="Steps">
      {step === 0 ? (
        <p className={table.empty}>Start the trace to see the decisions here.</p>
      ) : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Steps of the trace">
          <table role="table" className={`${table.table} ${table.cards}`} data-testid="steps">
            <thead role="rowgroup">
              <tr role="row">
                {HEADS.map((head, index) => (
                  <th
                    key={head}
                    role="columnheader"
                    scope="col"
                    className={[1, 4, 5].includes(index) ? table.right : undefined}
                  >
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {decisions.map((decision) => (
                <Step key={decision.step} decision={decision} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Step({ decision }: { readonly decision: Decision }) {
  const { job, planned, outcome, before, after } = decision;
  return (
    <tr role="row">
      <th role="rowheader" scope="row" className="number" data-title="Job">
        {job}
      </th>
      <td role="cell" data-title="Planned" className={`number ${table.right}`}>
        {shown(planned)}
      </td>
      <td role="cell" data-title="Decision">
        <Tag tone={TONES[outcome]}>{OUTCOMES[outcome]}</Tag>
      </td>
      <td role="cell" data-title="Decided by">
        {reasonOf(decision)}
      </td>
      <td role="cell" data-title="Tenant had" className={`number ${table.right}`}>
        {shown(before.tenant.available)}
      </td>
      <td role="cell" data-title="Tenant has left" className={`number ${table.right}`}>
        {after.tenant.overage > 0 ? `0 (${shown(after.tenant.overage)} over)` : shown(after.tenant.available)}
      </td>
    </tr>
  );
}
