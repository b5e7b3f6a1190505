import { UnstyledButton } from "@mantine/core";
import type { LabInputs } from "#libs/plan";
import { Panel } from "../frame/panel.js";
import { PRESETS } from "./presets.js";
import css from "./lab.module.css";

export function Presets({ onChoose }: { readonly onChoose: (inputs: LabInputs) => void }) {
  return (
    <Panel title="Cases from the field">
      <ul className={css.presets}>
        {PRESETS.map(({ title, story, inputs }) => (
          <li key={title}>
            <UnstyledButton className={css.preset} onClick={() => onChoose(inputs)}>
              <strong>{title}</strong>
              <span>{story}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
