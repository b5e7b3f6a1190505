import { Button, Modal } from "@mantine/core";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { RefusedFields } from "./refused-fields.js";
import css from "./act-dialog.module.css";

interface Props {
  readonly title: string;
  /** What the button that does it says. */
  readonly verb: string;
  readonly danger?: boolean;
  /** Whether it can be done with what was filled in. */
  readonly ready?: boolean;
  readonly children?: ReactNode;
  /** Closes by itself once this resolves; what it rejects with is shown, and nothing that was typed gets lost. */
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before it acts. */
export function ActDialog({ title, verb, danger = false, ready = true, children, act, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useRef<HTMLFormElement>(null);
  // Whoever was refused goes on where it can be mended, also in a form that is longer than the window.
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await act();
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form ref={form} className={css.form} onSubmit={(event) => void submit(event)}>
        <RefusedFields error={error}>{children}</RefusedFields>
        <div className={css.buttons}>
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" loading={busy} disabled={!ready} color={danger ? "red" : undefined}>
            {verb}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
