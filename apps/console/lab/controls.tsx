import { Button, SegmentedControl, TextInput } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { type LabNumber, LAB_DEFAULTS, LAB_MODES, LAB_NUMBERS, LAB_RANGES, parseWhole } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import type { Lab } from "./use-lab.js";
import { shown } from "./words.js";
import css from "./lab.module.css";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function Controls({ lab }: { readonly lab: Lab }) {
  return (
    <Panel
      title="Inputs"
      aside={
        <Button size="xs" variant="default" onClick={() => lab.load(LAB_DEFAULTS)}>
          Back to the baseline
        </Button>
      }
    >
      <div className={css.controls}>
        {LAB_NUMBERS.map((name) => (
          <NumberField key={name} name={name} lab={lab} />
        ))}
      </div>
      <ModeField lab={lab} />
    </Panel>
  );
}

interface FieldProps {
  readonly name: LabNumber;
  readonly lab: Lab;
}

/** A text field, since one for numbers hides what is no number; arrow keys and the two buttons count by one. */
function NumberField({ name, lab }: FieldProps) {
  const { label, min, max } = LAB_RANGES[name];
  const text = lab.state.texts[name];
  const add = (by: number): void => {
    const value = parseWhole(text.trim());
    if (value !== null) lab.type(name, String(Math.min(max, Math.max(min, value + by))));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    add(by);
  };
  const step = (by: number, sign: string) => (
    <button type="button" tabIndex={-1} aria-hidden className={css.stepper} onClick={() => add(by)}>
      {sign}
    </button>
  );
  return (
    <TextInput
      label={capital(label)}
      description={`${shown(min)} to ${shown(max)}`}
      inputMode="numeric"
      autoComplete="off"
      value={text}
      error={lab.checked.errors[name]}
      onChange={(event) => lab.type(name, event.currentTarget.value)}
      onKeyDown={onKeyDown}
      inputWrapperOrder={["label", "description", "input", "error"]}
      leftSection={step(-1, "−")}
      rightSection={step(1, "+")}
      classNames={{ input: css.number }}
    />
  );
}

function ModeField({ lab }: { readonly lab: Lab }) {
  const { mode } = lab.state.texts;
  const error = lab.checked.errors["mode"];
  return (
    <div className={css.mode}>
      <span id="lab-mode" className={css.label}>
        Mode
      </span>
      <SegmentedControl
        aria-labelledby="lab-mode"
        aria-describedby="lab-mode-meaning"
        fullWidth
        withItemsBorders={false}
        data={LAB_MODES.map((value) => ({ value, label: capital(value) }))}
        value={mode}
        onChange={(value) => lab.type("mode", value)}
      />
      <p id="lab-mode-meaning" className={error ? css.error : css.meaning}>
        {error ??
          (mode === "observe"
            ? "Nothing is denied; what would have been is recorded."
            : "What does not fit is denied before it starts.")}
      </p>
    </div>
  );
}
