import { Button } from "@mantine/core";
import { useId } from "react";
import { Panel } from "../frame/panel.js";
import { Suggestions } from "./suggestions.js";
import type { Lab } from "./use-lab.js";
import { sentenceOf } from "./words.js";
import css from "./lab.module.css";

/** The decisions one after another. */
export function Trace({ lab }: { readonly lab: Lab }) {
  const id = useId();
  const { step, run, showStep } = lab;
  const last = run.decisions.length;
  const decision = run.decisions[step - 1];
  return (
    <Panel title="Trace of decisions">
      <div className={css.buttons}>
        <Button size="sm" disabled={step > 0} onClick={() => showStep(1)}>
          Start trace
        </Button>
        <Button size="sm" variant="default" disabled={step === 0 || step === last} onClick={() => showStep(step + 1)}>
          Next step
        </Button>
        <Button size="sm" variant="default" disabled={step === last} onClick={() => showStep(last)}>
          Show all
        </Button>
        <Button size="sm" variant="default" disabled={step === 0} onClick={() => showStep(0)}>
          Reset
        </Button>
      </div>
      <div className={css.slider}>
        <label htmlFor={id}>Step</label>
        <input
          id={id}
          type="range"
          min={0}
          max={last}
          value={step}
          aria-valuetext={step === 0 ? "not started" : `${step} of ${last}`}
          onChange={(event) => showStep(Number(event.currentTarget.value))}
        />
        <output className="number" htmlFor={id}>
          {step} of {last}
        </output>
      </div>
      <p className={css.spoken} role="status" data-testid="decision" data-outcome={decision?.outcome}>
        {decision ? sentenceOf(decision) : "The trace is not started: no job has asked yet."}
      </p>
      {decision && <Suggestions decision={decision} lab={lab} />}
    </Panel>
  );
}
