import { Button } from "@mantine/core";
import { useState } from "react";
import type { Webhook } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";

interface Props {
  readonly webhook: Webhook;
  readonly path: string;
}

export function WebhookActions({ webhook: { name, url }, path }: Props) {
  const [deleting, setDeleting] = useState(false);
  const { mutateAsync, mutate, isPending } = useAct();
  const own = `${path}/${name}`;
  return (
    <span className={css.actions}>
      <Button
        size="compact-xs"
        variant="default"
        loading={isPending}
        onClick={() => mutate({ method: "POST", path: `${own}/ping`, body: {} })}
      >
        Ping {name}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => setDeleting(true)}>
        Delete {name} …
      </Button>
      {deleting && (
        <ActDialog
          title={`Delete ${name}?`}
          verb="Delete"
          danger
          act={() => mutateAsync({ method: "DELETE", path: own })}
          onClose={() => setDeleting(false)}
        >
          <p>{url} is told nothing more, and its secret ends. This cannot be undone.</p>
        </ActDialog>
      )}
    </span>
  );
}
