import type { LabRun } from "#libs/plan";
import { shown } from "./words.js";
import css from "./picture.module.css";

interface Props {
  readonly run: LabRun;
  readonly step: number;
  /** The amount that is as high as the picture. */
  readonly scale: number;
}

const WIDTH = 100;
const HEIGHT = 40;

/** A column a step: what the tenant holds after it, and on top of it what was asked and denied. */
export function Columns({ run, step, scale }: Props) {
  const { decisions, inputs } = run;
  const wide = WIDTH / decisions.length;
  const high = (amount: number): number => (HEIGHT * amount) / Math.max(scale, 1);
  const words = `What the tenant holds after each of ${step} steps, against its allowance of ${shown(inputs.tenantAllowance)}`;
  return (
    <figure className={css.figure}>
      <figcaption className={css.caption}>
        <span>Tenant, step by step</span>
      </figcaption>
      <svg className={css.columns} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
        <title>{words}</title>
        {decisions.slice(0, step).map((decision, index) => {
          const held = high(decision.after.tenant.reserved);
          const asked = decision.outcome === "denied" ? high(decision.planned) : 0;
          const place = { x: index * wide + wide * 0.1, width: wide * 0.8 };
          return (
            <g key={decision.step}>
              <rect {...place} y={HEIGHT - held} height={held} className={css.column} data-kind={decision.outcome} />
              {asked > 0 && <rect {...place} y={HEIGHT - held - asked} height={asked} className={css.asked} />}
            </g>
          );
        })}
        <line
          className={css.line}
          x1="0"
          x2={WIDTH}
          y1={HEIGHT - high(inputs.tenantAllowance)}
          y2={HEIGHT - high(inputs.tenantAllowance)}
        />
      </svg>
    </figure>
  );
}
