import type { Decision, LabRun } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import { Columns } from "./columns.js";
import { OUTCOMES, shown } from "./words.js";
import css from "./picture.module.css";

interface Props {
  readonly run: LabRun;
  readonly step: number;
}

/** How far both allowances are filled at a step of the trace. */
export function Picture({ run, step }: Props) {
  const { jobAllowance, tenantAllowance } = run.inputs;
  const decided = run.decisions.slice(0, step);
  const current = decided.at(-1);
  const reserved = current?.after.tenant.reserved ?? 0;
  const most = Math.max(
    tenantAllowance,
    ...run.decisions.map(({ before, planned }) => before.tenant.reserved + planned),
  );
  return (
    <Panel title="The allowances filling up">
      <Bar
        title="Tenant allowance"
        limit={tenantAllowance}
        scale={most}
        held={reserved}
        parts={decided.filter(({ outcome }) => outcome !== "denied").map(partOf)}
        refused={current?.outcome === "denied" ? current.planned : 0}
      />
      <Bar
        title={current ? `Job allowance, job ${current.job}` : "Job allowance"}
        limit={jobAllowance}
        scale={Math.max(jobAllowance, run.perJobPlanned)}
        held={current?.after.job.reserved ?? 0}
        parts={current && current.outcome !== "denied" ? [partOf(current)] : []}
        refused={current?.outcome === "denied" ? current.planned : 0}
      />
      <Columns run={run} step={step} scale={most} />
      <ul className={css.legend} aria-hidden>
        <li data-kind="admitted">{OUTCOMES.admitted}</li>
        {run.inputs.mode === "observe" ? (
          <li data-kind="observed">{OUTCOMES.observed}</li>
        ) : (
          <li data-kind="denied">asked and denied</li>
        )}
        <li data-kind="limit">the allowance</li>
      </ul>
    </Panel>
  );
}

interface Part {
  readonly job: number;
  readonly amount: number;
  readonly kind: Decision["outcome"];
}

const partOf = ({ job, planned, outcome }: Decision): Part => ({ job, amount: planned, kind: outcome });

interface BarProps {
  readonly title: string;
  readonly limit: number;
  /** The amount that is as long as the bar. */
  readonly scale: number;
  readonly held: number;
  readonly parts: readonly Part[];
  /** Asked for and not held. */
  readonly refused: number;
}

function Bar({ title, limit, scale, held, parts, refused }: BarProps) {
  const share = (amount: number): string => `${(100 * amount) / Math.max(scale, 1)}%`;
  const over = Math.max(0, held - limit);
  const words = `${shown(held)} of ${shown(limit)} held${over > 0 ? `, ${shown(over)} over` : ""}${
    refused > 0 ? `; ${shown(refused)} more asked and denied` : ""
  }`;
  return (
    <figure className={css.figure}>
      <figcaption className={css.caption}>
        <span>{title}</span>
        <span className="number">{words}</span>
      </figcaption>
      <div className={css.bar} role="img" aria-label={`${title}: ${words}`}>
        {parts.map(({ job, amount, kind }) => (
          <span key={job} className={css.part} data-kind={kind} style={{ width: share(amount) }} />
        ))}
        {refused > 0 && <span className={css.part} data-kind="denied" style={{ width: share(refused) }} />}
        <span className={css.limit} style={{ left: share(limit) }} />
      </div>
    </figure>
  );
}
