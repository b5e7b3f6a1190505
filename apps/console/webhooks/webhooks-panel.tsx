import { Button } from "@mantine/core";
import { useState } from "react";
import type { Webhook } from "../api/types.js";
import css from "../data/data.module.css";
import { moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { Tag } from "../frame/tag.js";
import { Deliveries } from "./deliveries.js";
import { NewWebhook } from "./new-webhook.js";
import { WebhookActions } from "./webhook-actions.js";

/** Webhooks of a tenant, or the operator's own, with what was sent. */
export function WebhooksPanel({ path }: { readonly path: string }) {
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const columns: readonly Column<Webhook>[] = [
    {
      title: "Name",
      cell: ({ name }) => (
        <Button size="compact-sm" variant="default" aria-expanded={shown === name} onClick={() => setShown(name)}>
          {name}
        </Button>
      ),
    },
    { title: "Address", cell: ({ url }) => url },
    { title: "Told of", cell: ({ events }) => events.join(", ") },
    {
      title: "State",
      cell: ({ enabled }) => <Tag tone={enabled ? "good" : "plain"}>{enabled ? "enabled" : "disabled"}</Tag>,
    },
    { title: "Changed", cell: ({ updatedAt }) => <span className="number">{moment(updatedAt)}</span> },
    { title: "Do", cell: (webhook) => <WebhookActions webhook={webhook} path={path} /> },
  ];
  return (
    <>
      <Panel
        title="Webhooks"
        aside={
          <Button size="xs" variant="default" onClick={() => setCreating(true)}>
            New webhook …
          </Button>
        }
      >
        {secret !== null && (
          <div role="status" className={css.stack}>
            <p>The secret that its events are signed with. It is shown this once:</p>
            <code className={css.secret}>{secret}</code>
          </div>
        )}
        <PagedTable
          label="Webhooks"
          path={path}
          columns={columns}
          rowKey={({ name }) => name}
          empty="Nobody is told yet."
        />
      </Panel>
      {shown !== null && <Deliveries key={shown} name={shown} path={`${path}/${shown}/deliveries`} />}
      {creating && <NewWebhook path={path} onMade={setSecret} onClose={() => setCreating(false)} />}
    </>
  );
}
