import { useState } from "react";
import type { Tenant } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { ReasonField, TextField } from "../frame/text-field.js";
import { limitsWrong, patchOf, textsOf } from "./tenant-patch.js";

const DEFAULTS = [
  { name: "jobAllowance", title: "Limit of each job" },
  { name: "userAllowance", title: "Limit of each user" },
] as const;

/** Name, mode and the defaults of jobs and users. Only what was changed is sent. */
export function EditTenant({ tenant: given, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  // As it was when the form was opened: what somebody else changes meanwhile is not changed back.
  const [tenant] = useState(given);
  const [texts, setTexts] = useState(() => textsOf(tenant));
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct<Tenant>();
  const patch = patchOf(tenant, texts);
  const why = reason.trim();
  const body = { ...patch, ...(why !== "" && { reason: why }) };
  const wrong = limitsWrong(texts);
  const units = Object.keys(tenant.allowances);
  return (
    <ActDialog
      title={`Edit ${tenant.name}`}
      verb="Change it"
      danger={patch.enforcement === "observe"}
      ready={texts.name.trim() !== "" && wrong.size === 0 && Object.keys(patch).length > 0}
      act={() => mutateAsync({ method: "PATCH", path: `/v1/admin/tenants/${tenant.id}`, body })}
      onClose={onClose}
    >
      <TextField
        pointer="/name"
        label="Name"
        value={texts.name}
        maxLength={200}
        onChange={(name) => setTexts({ ...texts, name })}
      />
      <Choice
        label="Mode"
        value={texts.enforcement}
        options={["enforce", "observe"]}
        onChange={(enforcement) => setTexts({ ...texts, enforcement })}
      />
      {patch.enforcement === "observe" && <p>It denies nothing any more: it records what would have been denied.</p>}
      {DEFAULTS.map(({ name, title }) => (
        <fieldset key={name} className={css.choices}>
          <legend>{title}</legend>
          {units.map((unit) => (
            <TextField
              key={unit}
              pointer={`/${name}/${unit}`}
              label={`${title} in ${unit}`}
              placeholder="none"
              inputMode="numeric"
              value={texts[name][unit] ?? ""}
              error={wrong.has(`${name} ${unit}`) ? "Must be a whole number, or empty for none" : undefined}
              onChange={(text) => setTexts({ ...texts, [name]: { ...texts[name], [unit]: text } })}
            />
          ))}
        </fieldset>
      ))}
      <ReasonField description="Stands in the journal; it may be left out" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
