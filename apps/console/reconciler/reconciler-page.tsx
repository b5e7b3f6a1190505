import { useState } from "react";
import type { Run } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { amount, moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { Tag, type Tone } from "../frame/tag.js";
import { useTitle } from "../frame/title.js";
import { Findings } from "./findings.js";
import { RunNow } from "./run-now.js";
import { TASKS } from "./tasks.js";

const REFRESH_MS = 5_000;
const TONES: Readonly<Record<Run["outcome"], Tone>> = { ok: "good", partial: "warned", failed: "bad" };

const COLUMNS: readonly Column<Run>[] = [
  { title: "Finished", cell: ({ finishedAt }) => <span className="number">{moment(finishedAt)}</span> },
  { title: "Task", cell: ({ task }) => task },
  { title: "By", cell: ({ trigger }) => trigger },
  { title: "Outcome", cell: ({ outcome }) => <Tag tone={TONES[outcome]}>{outcome}</Tag> },
  { title: "Handled", right: true, cell: ({ handled }) => amount(handled) },
  { title: "Failed", right: true, cell: ({ failed }) => amount(failed) },
  { title: "Found", cell: (run) => <Findings run={run} /> },
];

export function ReconcilerPage() {
  useTitle("Reconciler");
  const [task, setTask] = useState("");
  return (
    <div className={css.stack}>
      <div className={css.head}>
        <h1>Reconciler</h1>
        <RunNow />
      </div>
      <Panel title="Runs" aside={<Choice label="Task" value={task} none="all" options={TASKS} onChange={setTask} />}>
        <PagedTable
          label="Runs"
          path="/v1/admin/reconcile/runs"
          params={{ task }}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty="It has not run yet."
          refreshMs={REFRESH_MS}
        />
      </Panel>
    </div>
  );
}
