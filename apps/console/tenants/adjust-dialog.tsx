import { useMemo, useState } from "react";
import { parseWhole } from "../data/format.js";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { ReasonField, TextField } from "../frame/text-field.js";

interface Props {
  readonly path: string;
  readonly unit: string;
  readonly onClose: () => void;
}

export function AdjustDialog({ path, unit, onClose }: Props) {
  const [delta, setDelta] = useState("");
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct();
  const value = parseWhole(delta);
  const body = { delta: value, reason: reason.trim() };
  // One for the same facts, so that trying again after a lost answer tops up once; another for others.
  const facts = JSON.stringify(body);
  const idempotencyKey = useMemo(() => `${crypto.randomUUID()}-${facts.length}`, [facts]);
  return (
    <ActDialog
      title={`Top up or cut ${unit}`}
      verb={value !== null && value < 0 ? "Cut" : "Top up"}
      danger={value !== null && value < 0}
      ready={value !== null && value !== 0 && body.reason !== ""}
      act={() => mutateAsync({ method: "POST", path, body, idempotencyKey })}
      onClose={onClose}
    >
      <TextField
        pointer="/delta"
        label="Change of the limit"
        description="A whole number; with a minus it cuts"
        value={delta}
        error={delta === "" || value !== null ? undefined : "Must be a whole number"}
        onChange={setDelta}
      />
      <ReasonField description="Stands in the ledger" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
