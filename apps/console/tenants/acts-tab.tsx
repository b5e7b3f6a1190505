import { Link } from "react-router";
import type { Act } from "../api/types.js";
import { moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";

const WORDS: Readonly<Record<Act["act"], string>> = {
  suspend: "suspended it",
  resume: "resumed it",
  delete: "deleted it",
  enforce: "made it enforce",
  observe: "made it observe only",
  cancel: "cancelled a job",
};

interface Props {
  readonly path: string;
  /** Of its jobs in the console. */
  readonly to: string;
}

/** What was done to the tenant besides its limits, of which the ledger tells. */
export function ActsTab({ path, to }: Props) {
  const columns: readonly Column<Act>[] = [
    { title: "At", cell: ({ at }) => <span className="number">{moment(at)}</span> },
    { title: "Who", cell: ({ actor }) => actor },
    { title: "Did", cell: ({ act }) => WORDS[act] },
    { title: "Job", cell: ({ jobId }) => jobId !== undefined && <Link to={`${to}/${jobId}`}>{jobId}</Link> },
    { title: "Reason", cell: ({ reason }) => reason ?? "" },
  ];
  return (
    <Panel title="What was done to it">
      <p>Changes of limits stand in the ledger.</p>
      <PagedTable label="Journal" path={path} columns={columns} rowKey={({ id }) => id} empty="Nothing yet." />
    </Panel>
  );
}
