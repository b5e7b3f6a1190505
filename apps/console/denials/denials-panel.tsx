import { Link } from "react-router";
import type { ListedDenial } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { amount, limitText, moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { useFilters } from "../data/use-filters.js";
import { Panel } from "../frame/panel.js";
import { Filter } from "../tenants/ledger-panel.js";
import type { Places } from "./places.js";
import { ReasonTag } from "./reason-tag.js";
import { allowanceOf } from "./words.js";

const REFRESH_MS = 5_000;
const KINDS = ["job", "user", "tenant", "service"];
const CODES = ["allowance_exhausted", "exceeds_limit"];
const TEXTS = [
  { name: "unit", label: "Unit" },
  { name: "jobId", label: "Job" },
];

/** What was denied, newest first; each leads to its explanation. */
export function DenialsPanel({ places }: { readonly places: Places }) {
  const { path, to, jobs } = places;
  const [filters, set] = useFilters(["kind", "code", "unit", "jobId"]);
  return (
    <Panel title="Denials">
      <p className={css.muted}>
        Those that are alike within a minute are one row. It has the figures of the last of them.
      </p>
      <div className={css.filters}>
        <Choice
          label="Scope"
          value={filters["kind"] ?? ""}
          none="all"
          options={KINDS}
          onChange={(kind) => set("kind", kind)}
        />
        <Choice
          label="Reason"
          value={filters["code"] ?? ""}
          none="all"
          options={CODES}
          onChange={(code) => set("code", code)}
        />
        {TEXTS.map(({ name, label }) => (
          <Filter key={name} label={label} value={filters[name] ?? ""} onSet={(value) => set(name, value)} />
        ))}
      </div>
      <PagedTable
        label="Denials"
        path={path}
        params={filters}
        columns={columnsOf(to, jobs)}
        rowKey={({ id }) => id}
        empty="Nothing was denied."
        refreshMs={REFRESH_MS}
      />
    </Panel>
  );
}

function columnsOf(to: string, jobs: string): readonly Column<ListedDenial>[] {
  return [
    { title: "Last", cell: ({ lastAt }) => <span className="number">{moment(lastAt)}</span> },
    { title: "Denied by", cell: (denial) => <Link to={`${to}/${denial.id}`}>{allowanceOf(denial)}</Link> },
    { title: "Reason", cell: (denial) => <ReasonTag denial={denial} /> },
    { title: "Asked", right: true, cell: ({ last }) => amount(last.requested) },
    { title: "Available", right: true, cell: ({ last }) => `${amount(last.available)} of ${limitText(last.limit)}` },
    {
      title: "Job",
      cell: ({ jobId }) =>
        jobId === undefined ? (
          "several"
        ) : (
          <Link to={`${jobs}/${jobId}`} aria-label={`Job ${jobId}`}>{`…${jobId.slice(-6)}`}</Link>
        ),
    },
    { title: "Times", right: true, cell: ({ count }) => amount(count) },
  ];
}
