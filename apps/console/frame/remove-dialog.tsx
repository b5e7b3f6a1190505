import { useState, type ReactNode } from "react";
import { useAct, withQuery } from "../data/use-get.js";
import { ActDialog } from "./act-dialog.js";
import { ReasonField } from "./text-field.js";

interface Props {
  readonly title: string;
  /** What the button that does it says. */
  readonly verb?: string;
  readonly path: string;
  readonly children: ReactNode;
  /** It is gone: what shows it should go as well. */
  readonly onGone?: () => unknown;
  readonly onClose: () => void;
}

/** Asks before it takes something away that is journalled, and why. */
export function RemoveDialog({ title, verb = "Remove it", path, children, onGone, onClose }: Props) {
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct();
  const act = async (): Promise<void> => {
    await mutateAsync({ method: "DELETE", path: withQuery(path, { reason: reason.trim() }) });
    await onGone?.();
  };
  return (
    <ActDialog title={title} verb={verb} danger act={act} onClose={onClose}>
      {children}
      <ReasonField description="Stands in the journal; it may be left out" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
