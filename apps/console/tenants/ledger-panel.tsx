import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Entry } from "../api/types.js";
import { Choice } from "../data/choice.js";
import { csvOf } from "../data/csv.js";
import css from "../data/data.module.css";
import { limitText, moment, signed } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { useKey } from "../data/use-get.js";
import { useFilters } from "../data/use-filters.js";
import { allRows, type Params } from "../data/use-pages.js";
import { Notice } from "../frame/notice.js";
import { Panel } from "../frame/panel.js";
import { save } from "../frame/save.js";

const TYPES = ["reserve", "charge", "settle", "release", "expire", "grant", "return", "limit", "settings"];
const TEXTS = ["unit", "user", "jobId", "reservationId"] as const;
const NAMES = { unit: "Unit", user: "User", jobId: "Job", reservationId: "Reservation" };
const ORDERS = { newest: "newest first", oldest: "oldest first" };
/** So many rows fit into a file that a spreadsheet opens. */
const MOST_ROWS = 100_000;

const COLUMNS: readonly Column<Entry>[] = [
  { title: "At", cell: ({ at }) => <span className="number">{moment(at)}</span> },
  { title: "Entry", cell: ({ type, detail }) => `${type}${detail?.late ? ", late" : ""}` },
  { title: "Unit", cell: ({ unit }) => unit ?? "" },
  { title: "Reserved", right: true, cell: ({ reserved }) => signed(reserved) },
  { title: "Spent", right: true, cell: ({ spent }) => signed(spent) },
  { title: "User", cell: ({ user }) => user ?? "" },
];

interface Props {
  readonly path: string;
  /** Of the jobs, in the console, of the tenant whose work an entry is; undefined where it is of none. */
  readonly jobsOf: (entry: Entry) => string | undefined;
}

export function LedgerPanel({ path, jobsOf }: Props) {
  const columns: readonly Column<Entry>[] = [
    ...COLUMNS,
    { title: "Of", cell: (entry) => <Of entry={entry} jobs={jobsOf(entry)} /> },
    { title: "Detail", cell: detailOf },
  ];
  const [{ order: chosen, ...filters }, set] = useFilters(["type", "order", ...TEXTS]);
  const order = chosen === "oldest" ? "oldest" : "newest";
  return (
    <Panel title="Ledger" aside={<Export path={path} params={{ ...filters, order }} />}>
      <div className={css.filters}>
        <Choice
          label="Entry"
          value={filters["type"] ?? ""}
          none="all"
          options={TYPES}
          onChange={(value) => set("type", value)}
        />
        <Choice
          label="Order"
          value={ORDERS[order]}
          options={Object.values(ORDERS)}
          onChange={(value) => set("order", value === ORDERS.oldest ? "oldest" : "")}
        />
        {TEXTS.map((name) => (
          <Filter key={name} label={NAMES[name]} value={filters[name] ?? ""} onSet={(value) => set(name, value)} />
        ))}
      </div>
      <PagedTable
        label="Ledger"
        path={path}
        params={{ ...filters, order }}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No entry matches."
      />
    </Panel>
  );
}

/** What moved the amount, at its job. */
function Of({ entry, jobs }: { readonly entry: Entry; readonly jobs: string | undefined }) {
  const { reservationId, jobId } = entry;
  const id = <code>{reservationId ?? jobId ?? ""}</code>;
  return jobId === undefined || jobs === undefined ? id : <Link to={`${jobs}/${jobId}`}>{id}</Link>;
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onSet: (value: string) => void;
}

/** Filters once it is left or Enter is pressed, so that half a name asks for nothing. */
export function Filter({ label, value, onSet }: FilterProps) {
  const [text, setText] = useState(value);
  return (
    <TextInput
      label={label}
      size="sm"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => onSet(text.trim())}
      onKeyDown={(event) => event.key === "Enter" && onSet(text.trim())}
    />
  );
}

function Export({ path, params }: { readonly path: string; readonly params: Params }) {
  const key = useKey();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const { rows, whole } = await allRows<Entry>(key, path, params, MOST_ROWS);
      save(`ledger${whole ? "" : `-first-${MOST_ROWS}`}.csv`, "text/csv", csvOf(HEAD, rows.map(csvRow)));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <div className={css.stack}>
      <Button size="xs" variant="default" loading={busy} onClick={() => void run()}>
        Export CSV
      </Button>
      {error !== null && <Notice error={error} />}
    </div>
  );
}

const HEAD = ["id", "at", "type", "unit", "reserved", "spent", "user", "jobId", "reservationId", "scopes", "detail"];

function csvRow(entry: Entry): (string | number | undefined)[] {
  const { id, at, type, unit, reserved, spent, user, jobId, reservationId, scopes, detail } = entry;
  const places = scopes
    .map(({ kind, id: name, tenantId }) => [kind, name, tenantId && `of ${tenantId}`].filter(Boolean).join(" "))
    .join("; ");
  return [id, at, type, unit, reserved, spent, user, jobId, reservationId, places, detail && JSON.stringify(detail)];
}

function detailOf({ detail }: Entry): string {
  if (!detail) return "";
  const { child, attempt, childJobId, from, to, service, before, after, actor, reason } = detail;
  return [
    child !== undefined && `child ${child}, attempt ${attempt}`,
    childJobId !== undefined && `child job ${childJobId}`,
    to !== undefined && `${from === undefined ? "none" : limitText(from)} → ${limitText(to)}`,
    service !== undefined && `${service}: ${changesOf(before, after)}`,
    actor !== undefined && `by ${actor}`,
    reason,
  ]
    .filter(Boolean)
    .join("; ");
}

type Settings = Readonly<Record<string, unknown>>;

/** What differs between settings of a service, by name. */
function changesOf(before: Settings = {}, after: Settings = {}): string {
  const text = (value: unknown): string => (value === undefined ? "none" : JSON.stringify(value));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => text(before[name]) !== text(after[name]));
  return changed.map((name) => `${name} ${text(before[name])} → ${text(after[name])}`).join(", ");
}
