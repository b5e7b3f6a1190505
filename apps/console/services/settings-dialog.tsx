import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAct, useKey } from "../data/use-get.js";
import css from "../data/data.module.css";
import { ActDialog } from "../frame/act-dialog.js";
import { ReasonField, TextField } from "../frame/text-field.js";
import { AllowanceRows } from "./allowance-rows.js";
import { orConflict } from "./as-it-is.js";
import { allowanceTextsOf, GROUPS, settingsOf, textsOf, wrongIn } from "./settings.js";

interface Settings {
  readonly allowances?: object;
  readonly updatedAt: string;
  readonly [name: string]: unknown;
}

interface Props {
  readonly title: string;
  /** Of the settings in the API, without the name of the service. */
  readonly path: (name: string) => string;
  /** null: of a service that is named here. */
  readonly name: string | null;
  /** As they are set; undefined where nothing is set yet. */
  readonly current: Settings | undefined;
  /** What to say above the fields. */
  readonly hint: string;
  readonly onClose: () => void;
}

const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

/** All that is set at once: the request replaces what there was. */
export function SettingsDialog({ title, path, name: given, current, hint, onClose }: Props) {
  const [name, setName] = useState(given ?? "");
  const [opened] = useState(current);
  const [texts, setTexts] = useState(() => textsOf(current ?? {}));
  const [rows, setRows] = useState(() => allowanceTextsOf(current?.allowances as never));
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct();
  const key = useKey();
  const queries = useQueryClient();
  const wrong = wrongIn(texts, rows);
  const isName = NAME.test(name);
  const act = async (): Promise<void> => {
    await orConflict(key, path(name), name, opened).catch((error: unknown) => {
      // The page behind the form shows what is set now.
      void queries.invalidateQueries();
      throw error;
    });
    const why = reason.trim() === "" ? {} : { reason: reason.trim() };
    await mutateAsync({ method: "PUT", path: path(name), body: { ...settingsOf(texts, rows), ...why } });
  };
  return (
    <ActDialog
      title={title}
      verb="Set it"
      ready={isName && Object.keys(wrong).length === 0}
      act={act}
      onClose={onClose}
    >
      <p>{hint} What is left empty does not bind; 0 lets nothing through.</p>
      {given === null && (
        <TextField
          pointer="/service"
          label="Name of the service"
          value={name}
          error={name === "" || isName ? undefined : "Small letters, digits, _ . and -, beginning with a letter"}
          onChange={setName}
        />
      )}
      {GROUPS.map((group) => (
        <fieldset key={group.title} className={css.pairs}>
          <legend>{group.title}</legend>
          {group.fields.map(({ pointer, label, kind }) => (
            <TextField
              key={pointer}
              pointer={pointer}
              label={label}
              inputMode={kind === "whole" ? "numeric" : "decimal"}
              value={texts[pointer] ?? ""}
              error={wrong[pointer]}
              onChange={(text) => setTexts({ ...texts, [pointer]: text })}
            />
          ))}
        </fieldset>
      ))}
      <AllowanceRows rows={rows} wrong={wrong} onChange={setRows} />
      <ReasonField description="Stands in the ledger; it may be left out" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
