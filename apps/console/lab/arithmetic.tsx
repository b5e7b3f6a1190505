import type { LabRun } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import { shown } from "./words.js";
import css from "./lab.module.css";

export function Arithmetic({ run: { inputs, perJobPlanned } }: { readonly run: LabRun }) {
  const { jobs, children, attempts, cost } = inputs;
  const factors = [
    [children, "children"],
    [attempts, "attempts"],
    [cost, "cost of an attempt"],
  ] as const;
  return (
    <Panel title="Arithmetic">
      <p className={css.sum} data-testid="arithmetic">
        {factors.map(([value, name], index) => (
          <span key={name} className={css.term}>
            {index > 0 && <span className={css.sign}>× </span>}
            <span className={css.factor}>
              <b>{shown(value)} </b>
              <small>{name} </small>
            </span>
          </span>
        ))}
        <span className={css.term}>
          <span className={css.sign}>= </span>
          <span className={css.factor}>
            <b className={css.result}>{shown(perJobPlanned)} </b>
            <small>planned by each job</small>
          </span>
        </span>
      </p>
      <p className={css.meaning}>
        {shown(jobs)} × {shown(perJobPlanned)} = {shown(jobs * perJobPlanned)} units and up to{" "}
        {shown(jobs * children * attempts)} attempts, where the code reads as {shown(jobs * children)}.
      </p>
    </Panel>
  );
}
