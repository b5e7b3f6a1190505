import { useTitle } from "../frame/title.js";
import { Arithmetic } from "./arithmetic.js";
import { Controls } from "./controls.js";
import { Files } from "./files.js";
import { LivePanel } from "./live-panel.js";
import { Presets } from "./presets-list.js";
import { Picture } from "./picture.js";
import { Steps } from "./steps.js";
import { Totals } from "./totals.js";
import { Trace } from "./trace.js";
import { useLab } from "./use-lab.js";
import css from "./lab.module.css";

/** The deterministic model to play with: no key, no service. */
export function LabPage() {
  useTitle("Lab");
  const lab = useLab();
  return (
    <div className={css.page}>
      <div className={css.intro}>
        <h1>Lab: a request is not a fixed amount of work</h1>
        <p>
          A job plans <em>children × attempts × cost</em> and reserves all of it before it starts, or nothing. Change
          the figures and watch which allowance decides.
        </p>
      </div>
      <div className={css.columns}>
        <div className={css.controlsPlace}>
          <Controls lab={lab} />
        </div>
        <div className={css.results}>
          {lab.checked.inputs === null && (
            <p className={css.stale} role="status">
              An input is out of its range. What stands below belongs to the last valid inputs.
            </p>
          )}
          <Arithmetic run={lab.run} />
          <Totals run={lab.run} />
          <Trace lab={lab} />
          <Picture run={lab.run} step={lab.step} />
          <Steps lab={lab} />
          <LivePanel inputs={lab.checked.inputs} />
        </div>
        <div className={css.extras}>
          <Presets onChoose={lab.load} />
          <Files run={lab.run} valid={lab.checked.inputs !== null} onLoad={lab.load} />
        </div>
      </div>
    </div>
  );
}
