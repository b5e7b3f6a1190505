import { Button } from "@mantine/core";
import { useState } from "react";
import type { Delivery } from "../api/types.js";
import { Choice } from "../data/choice.js";
import { moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { useAct } from "../data/use-get.js";
import { Notice } from "../frame/notice.js";
import { Panel } from "../frame/panel.js";
import { Tag, type Tone } from "../frame/tag.js";

const REFRESH_MS = 5_000;
const STATES: readonly Delivery["state"][] = ["pending", "delivered", "failed"];
const TONES: Readonly<Record<Delivery["state"], Tone>> = { pending: "warned", delivered: "good", failed: "bad" };

/** What was sent, or is to be; each can be sent again. */
export function Deliveries({ name, path }: { readonly name: string; readonly path: string }) {
  const [state, setState] = useState("");
  const { mutate, error } = useAct<Delivery>();
  const columns: readonly Column<Delivery>[] = [
    { title: "Made", cell: ({ createdAt }) => <span className="number">{moment(createdAt)}</span> },
    { title: "Event", cell: ({ type }) => type },
    { title: "State", cell: (one) => <Tag tone={TONES[one.state]}>{one.state}</Tag> },
    { title: "Attempts", right: true, cell: ({ attempts }) => attempts },
    { title: "Last answer", cell: ({ lastStatus, lastError }) => lastError ?? lastStatus ?? "" },
    { title: "What", cell: ({ event }) => <Event event={event} /> },
    {
      title: "Do",
      cell: ({ id }) => (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => mutate({ method: "POST", path: `${path}/${id}/resend`, body: {} })}
        >
          Send again
        </Button>
      ),
    },
  ];
  return (
    <Panel
      title={`Deliveries of ${name}`}
      aside={<Choice label="State" value={state} none="all" options={STATES} onChange={setState} />}
    >
      {error && <Notice error={error} />}
      <PagedTable
        label={`Deliveries of ${name}`}
        path={path}
        params={{ state }}
        columns={columns}
        rowKey={({ id }) => id}
        empty="Nothing was sent."
        refreshMs={REFRESH_MS}
      />
    </Panel>
  );
}

function Event({ event }: Pick<Delivery, "event">) {
  return (
    <details>
      <summary>show</summary>
      <pre>{JSON.stringify(event, null, 2)}</pre>
    </details>
  );
}
