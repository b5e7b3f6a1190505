import { Button } from "@mantine/core";
import { useState } from "react";
import type { Key, NewKey, Tenant } from "../api/types.js";
import css from "../data/data.module.css";
import { moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { TextField } from "../frame/text-field.js";
import { Panel } from "../frame/panel.js";
import { Tag } from "../frame/tag.js";

export function KeysTab({ tenant }: { readonly tenant: Tenant }) {
  const path = `/v1/admin/tenants/${tenant.id}/keys`;
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<NewKey | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const { mutateAsync } = useAct();
  const columns: readonly Column<Key>[] = [
    { title: "Name", cell: ({ name }) => name },
    { title: "Id", cell: ({ id }) => <code>{id}</code> },
    { title: "Made", cell: ({ createdAt }) => <span className="number">{moment(createdAt)}</span> },
    {
      title: "State",
      cell: (key) =>
        key.revokedAt === undefined ? (
          <Button size="compact-xs" variant="default" onClick={() => setRevoking(key)}>
            Revoke {key.name} …
          </Button>
        ) : (
          <Tag tone="plain">revoked {moment(key.revokedAt)}</Tag>
        ),
    },
  ];
  return (
    <Panel
      title="Keys"
      aside={
        <Button size="xs" variant="default" onClick={() => setCreating(true)}>
          New key …
        </Button>
      }
    >
      {made && <Made made={made} onHide={() => setMade(null)} />}
      <PagedTable label="Keys" path={path} columns={columns} rowKey={({ id }) => id} empty="It has no key yet." />
      {creating && <CreateKey path={path} onMade={setMade} onClose={() => setCreating(false)} />}
      {revoking && (
        <ActDialog
          title={`Revoke ${revoking.name}?`}
          verb="Revoke"
          danger
          act={() => mutateAsync({ method: "DELETE", path: `${path}/${revoking.id}` })}
          onClose={() => setRevoking(null)}
        >
          <p>Whoever uses it is refused from the next second on. This cannot be undone.</p>
        </ActDialog>
      )}
    </Panel>
  );
}

function Made({ made, onHide }: { readonly made: NewKey; readonly onHide: () => void }) {
  return (
    <div role="status" className={css.stack}>
      <p>The key {made.name}. It is shown this once:</p>
      <code className={css.secret} data-testid="new-key">
        {made.key}
      </code>
      <div className={css.actions}>
        <Button size="xs" variant="default" onClick={onHide}>
          I have kept it
        </Button>
      </div>
    </div>
  );
}

interface CreateProps {
  readonly path: string;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

function CreateKey({ path, onMade, onClose }: CreateProps) {
  const [name, setName] = useState("");
  const { mutateAsync } = useAct<NewKey>();
  const act = async (): Promise<void> =>
    onMade(await mutateAsync({ method: "POST", path, body: { name: name.trim() } }));
  return (
    <ActDialog title="New key" verb="Make it" ready={name.trim() !== ""} act={act} onClose={onClose}>
      <TextField
        pointer="/name"
        label="Name"
        description="For whom or what it is"
        value={name}
        maxLength={200}
        onChange={setName}
      />
    </ActDialog>
  );
}
