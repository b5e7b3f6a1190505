import { useState, type ReactNode } from "react";
import { useAct, withQuery } from "../data/use-get.js";
import { ActDialog } from "./act-dialog.js";
import { ReasonField } from "./text-field.js";

interface Props {
  readonly title: string;
  readonly path: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Asks before it takes something away that is journalled, and why. */
export function RemoveDialog({ title, path, children, onClose }: Props) {
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct();
  const act = () => mutateAsync({ method: "DELETE", path: withQuery(path, { reason: reason.trim() }) });
  return (
    <ActDialog title={title} verb="Remove it" danger act={act} onClose={onClose}>
      {children}
      <ReasonField description="Stands in the ledger; it may be left out" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
