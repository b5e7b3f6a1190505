import { useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { type LabInputs, type LabRun, LAB_DEFAULTS, runModel } from "#libs/plan";
import {
  BASELINE,
  check,
  readAddress,
  stateOf,
  writeAddress,
  type Checked,
  type LabField,
  type LabState,
} from "./state.js";

/** Browsers refuse too many changes of the address in a short time, so it follows a pause in the typing. */
const ADDRESS_AFTER_MS = 150;

export interface Lab {
  readonly state: LabState;
  readonly checked: Checked;
  /** Of the inputs, or of the last ones that were valid. */
  readonly run: LabRun;
  /** How many decisions the trace shows, at most as many as there are. */
  readonly step: number;
  type(field: LabField, text: string): void;
  change(inputs: Partial<LabInputs>): void;
  load(inputs: LabInputs): void;
  showStep(step: number): void;
}

export function useLab(): Lab {
  const [state, setState] = useAddressedState();
  const checked = useMemo(() => check(state), [state]);
  const [valid, setValid] = useState<LabInputs>(checked.inputs ?? LAB_DEFAULTS);
  if (checked.inputs !== null && !sameInputs(checked.inputs, valid)) setValid(checked.inputs);
  const run = useMemo(() => runModel(valid), [valid]);
  return {
    state,
    checked,
    run,
    step: Math.min(state.step, run.decisions.length),
    type: (field, text) => setState((old) => ({ ...old, texts: { ...old.texts, [field]: text } })),
    change: (inputs) => setState((old) => ({ ...old, texts: { ...old.texts, ...textsOf(inputs) } })),
    load: (inputs) => setState(stateOf(inputs)),
    showStep: (step) => setState((old) => ({ ...old, step })),
  };
}

function textsOf(inputs: Partial<LabInputs>): Partial<LabState["texts"]> {
  return Object.fromEntries(Object.entries(inputs).map(([field, value]) => [field, String(value)]));
}

function sameInputs(one: LabInputs, other: LabInputs): boolean {
  return (Object.keys(one) as LabField[]).every((field) => one[field] === other[field]);
}

/** State that the address bar follows, and that follows the address when somebody goes back or opens a link. */
function useAddressedState() {
  const [params, setParams] = useSearchParams();
  const address = params.toString();
  const [state, setState] = useState(() => readAddress(params));
  const written = useRef(address);
  useEffect(() => {
    if (address === written.current) return;
    written.current = address;
    setState(address === "" ? BASELINE : readAddress(new URLSearchParams(address)));
  }, [address]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = writeAddress(state);
      if (next.toString() === written.current) return;
      written.current = next.toString();
      setParams(next, { replace: true });
    }, ADDRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [state, setParams]);
  return [state, setState] as const;
}
