import { Button } from "@mantine/core";
import { useId, useRef, useState, type ChangeEvent } from "react";
import type { LabInputs, LabRun } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import { save } from "../frame/save.js";
import { MOST_BYTES, readFile, writeFile, type Imported } from "./file.js";
import css from "./lab.module.css";

interface Props {
  readonly run: LabRun;
  /** False where the run belongs to older inputs than those on the screen. */
  readonly valid: boolean;
  readonly onLoad: (inputs: LabInputs) => void;
}

interface Said {
  readonly text: string;
  readonly bad: boolean;
}

export function Files({ run, valid, onLoad }: Props) {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState<Said | null>(null);
  const load = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const field = event.currentTarget;
    const file = field.files?.[0];
    if (!file) return;
    const read = await readPicked(file);
    // So that the same file can be chosen again once it was corrected.
    field.value = "";
    if (read.ok) onLoad(read.inputs);
    setSaid(
      read.ok ? { text: `${file.name} was loaded.`, bad: false } : { text: `${file.name}: ${read.reason}`, bad: true },
    );
  };
  return (
    <Panel title="File">
      <p className={css.meaning}>
        Inputs, outcomes and steps as JSON. The address of this page carries the inputs too.
      </p>
      <div className={css.buttons}>
        <Button
          size="xs"
          variant="default"
          disabled={!valid}
          onClick={() => save("holdfast-lab.json", "application/json", writeFile(run))}
        >
          Export JSON
        </Button>
        <Button size="xs" variant="default" onClick={() => picker.current?.click()}>
          Import JSON
        </Button>
        <label htmlFor={id} hidden>
          File of the lab
        </label>
        <input
          id={id}
          ref={picker}
          hidden
          type="file"
          accept="application/json,.json"
          onChange={(event) => void load(event)}
        />
      </div>
      <p className={said?.bad ? css.error : css.meaning} role={said?.bad ? "alert" : "status"} data-testid="file-said">
        {said?.text}
      </p>
    </Panel>
  );
}

async function readPicked(file: File): Promise<Imported> {
  if (file.size > MOST_BYTES) return { ok: false, reason: "It is larger than any file of the lab." };
  try {
    return readFile(await file.text());
  } catch {
    return { ok: false, reason: "The browser could not read it." };
  }
}
