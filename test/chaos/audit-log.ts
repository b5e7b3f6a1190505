import { isDeepStrictEqual } from "node:util";
import type { Amounts } from "#libs/plan";
import { groupBy } from "./group.js";
import { finding, type Finding } from "./findings.js";
import { acknowledged, answersTo, isDone, type Answered, type Logged, type OperationKind } from "./operation.js";
import type { AttemptRow, EntryRow, TenantRecord } from "./tenant-record.js";

/** What a request of a client that does everything right may be refused with, if it is not answered 503. */
const REFUSALS: Readonly<Record<string, number>> = {
  allowance_exhausted: 402,
  exceeds_limit: 402,
  tenant_suspended: 403,
  job_not_open: 409,
  already_settled: 409,
  already_released: 409,
  reservation_expired: 409,
  attempts_exhausted: 409,
  conflict: 409,
  ledger_unavailable: 503,
  shutting_down: 503,
};

/** How an acknowledgement differs from the record; null where it does not. */
type Check = (answer: Answered, operation: Logged, record: LogView) => string | null;

/** The record as the log needs it. */
interface LogView extends TenantRecord {
  readonly limitEntries: readonly EntryRow[];
}

const reservationOf: Check = ({ body }, _, { reservations }) => {
  const row = reservations.get(body.id);
  if (!row) return "is not there";
  const { jobId, service, reserved, createdAt } = row;
  const found = { jobId, service, reserved, createdAt: new Date(createdAt).toISOString() };
  const { jobId: job, service: at = null, reserved: held, createdAt: since } = body;
  const said = { jobId: job, service: at, reserved: held, createdAt: since };
  return isDeepStrictEqual(found, said) ? null : `is ${JSON.stringify(found)} and not ${JSON.stringify(said)}`;
};

const stateOf =
  (state: string): Check =>
  ({ body }, _, { reservations, jobs }) => {
    const row = reservations.get(body.id) ?? jobs.get(body.id);
    return row?.state === state ? null : `is ${row?.state}`;
  };

const CHECKS: Readonly<Record<OperationKind, Check>> = {
  createJob: ({ body }, { body: asked, tenant }, { jobs }) => {
    const row = jobs.get(body.id);
    if (!row) return "is not there";
    const { user = null, allowance } = asked as { user?: string; allowance?: Amounts };
    const wanted = { user, allowance: { ...tenant.jobAllowance, ...allowance } };
    const said = { user: body["user"] ?? null, allowance: body["allowance"] };
    const found = { user: row.user, allowance: row.allowance };
    return isDeepStrictEqual(found, wanted) && isDeepStrictEqual(said, wanted) ? null : `is ${JSON.stringify(row)}`;
  },
  closeJob: stateOf("closed"),
  cancelJob: stateOf("cancelled"),
  reserve: reservationOf,
  settle: (answer, { body: asked }, record) => {
    const { state, actual } = record.reservations.get(answer.body.id) ?? {};
    const wanted = (asked as { actual: Amounts }).actual;
    const same = isDeepStrictEqual(actual, wanted) && isDeepStrictEqual(answer.body["actual"], wanted);
    return state === "settled" && same ? null : `is ${state} with ${JSON.stringify(actual)}`;
  },
  release: stateOf("released"),
  extend: ({ body }, _, { reservations }) => {
    const row = reservations.get(body.id);
    if (!row) return "is not there";
    const said = Date.parse(body["expiresAt"] as string);
    return row.expiresAt >= said ? null : `ends ${said - row.expiresAt} ms too early`;
  },
  charge: ({ body }, { body: asked }, { attempts }) => {
    const { child, attempt, outcome, actual } = asked as AttemptRow;
    const row = attempts.find(
      (one) => one.reservationId === body["reservationId"] && one.child === child && one.attempt === attempt,
    );
    if (!row) return "is not there";
    const same = row.outcome === outcome && isDeepStrictEqual(row.actual, actual);
    return same ? null : `is ${JSON.stringify(row)}`;
  },
  setLimit: limitSet,
  setUserLimit: limitSet,
  // It stands in the book of the service.
  setServiceLimit: () => null,
  adjust: (_, { body, key }, { limitEntries }) => {
    const { delta } = body as { delta: number };
    const entry = limitEntries.find(({ detail }) => detail!.reason === key);
    if (!entry) return "is not there";
    return entry.detail!.to! - entry.detail!.from! === delta ? null : `is ${JSON.stringify(entry.detail)}`;
  },
  // The operator does one thing at a time and always ends with a resume: the state is compared in the end.
  suspend: () => null,
  resume: () => null,
};

/** Limits that are set are all different, so that each has an entry of its own; one that was there already needs none. */
function limitSet(_: Answered, { body, path, tenant }: Logged, { limitEntries }: LogView): string | null {
  const { limit } = body as { limit: number };
  const user = /\/users\/([^/]+)\//.exec(path)?.[1];
  const id = user === undefined ? tenant.id : decodeURIComponent(user);
  const changes = limitEntries.map(({ detail }) => detail!).filter(({ scope }) => scope!.id === id);
  return changes.some(({ from, to }) => to === limit || from === limit) ? null : "is not there";
}

/** The clients' log of a tenant against its record. */
export function auditLog(name: string, log: readonly Logged[], record: TenantRecord): Finding[] {
  const view: LogView = { ...record, limitEntries: record.entries.filter(({ type }) => type === "limit") };
  const found = [
    ...log.flatMap((operation) => auditOperation(operation, view)),
    ...unaccounted(view),
    ...doubledChanges(view),
  ];
  found.push(...admittedWhileSuspended(log));
  if (record.state !== "active") found.push(finding("lost", `the tenant is ${record.state} after its last resume`));
  return found.map(({ kind, what }) => ({ kind, what: `${name}: ${what}` }));
}

function auditOperation(operation: Logged, record: LogView): Finding[] {
  const { kind, key, path } = operation;
  const what = `${kind} ${key ?? path}`;
  const found: Finding[] = [];
  const done = acknowledged(operation);
  for (const answer of done) {
    const difference = CHECKS[kind](answer, operation, record);
    if (difference !== null) found.push(finding("lost", `${what}: ${answer.body.id ?? ""} ${difference}`));
  }
  for (const { status, body, ...answer } of answersTo(operation)) {
    if (isDone({ status, body, ...answer }) || REFUSALS[body.code] === status) continue;
    found.push(finding(status === 404 ? "lost" : "other", `${what} was answered ${status}`, body));
  }
  if (key !== null) found.push(...auditKey(what, operation, record));
  return found;
}

/** One key has one effect and one answer, and none where everything was refused. */
function auditKey(what: string, operation: Logged, { answers }: LogView): Finding[] {
  const found: Finding[] = [];
  const kept = answers.get(`${operation.admin ? "a" : "t"}:${operation.key}`);
  const done = acknowledged(operation);
  if (done.length > 0 && !kept) found.push(finding("lost", `${what}: its key is not there`));
  for (const { body } of done) {
    if (kept && !isDeepStrictEqual(kept, body)) found.push(finding("doubled", `${what}: answers`, kept, "and", body));
  }
  if (done.filter(({ replayed }) => !replayed).length > 1) found.push(finding("doubled", `${what} took effect twice`));
  if (isRefused(operation) && kept) found.push(finding("other", `${what} was refused and had an effect:`, kept));
  return found;
}

/** Every attempt was answered with a refusal: none is unknown. */
function isRefused(operation: Logged): boolean {
  const answers = answersTo(operation);
  const sure = answers.length > 0 && answers.length === operation.replies.length;
  return sure && answers.every((answer) => answer.status < 500 && !isDone(answer));
}

/** Whatever there is was made under a key, whose answer names it. */
function unaccounted({ answers, reservations, jobs }: LogView): Finding[] {
  const named = new Set([...answers.values()].map(({ id }) => id));
  return [...reservations.keys(), ...jobs.keys()]
    .filter((id) => !named.has(id))
    .map((id) => finding("doubled", `${id} is the effect of no key`));
}

function doubledChanges({ limitEntries }: LogView): Finding[] {
  const reasons = groupBy(limitEntries, ({ detail }) => detail!.reason ?? null);
  reasons.delete(null);
  return [...reasons]
    .filter(([, entries]) => entries.length > 1)
    .map(([reason, entries]) => finding("doubled", `adjust ${reason} has ${entries.length} entries`));
}

/** How long an attempt without an answer may linger in a process that was paused, milliseconds. */
const LINGERS_MS = 15_000;

/** What was asked and admitted between the acknowledgement of a suspension and the request to resume. */
function admittedWhileSuspended(log: readonly Logged[]): Finding[] {
  const changes = log.filter(({ kind }) => kind === "suspend" || kind === "resume");
  const spans = changes.flatMap((change, i) => {
    if (change.kind !== "suspend" || acknowledged(change).length === 0) return [];
    const span = { from: change.answeredAt, to: changes[i + 1]?.sentAt ?? Infinity };
    // An earlier resume whose answer was lost may come through only now.
    const maybe = changes
      .slice(0, i)
      .some((earlier) => earlier.answeredAt > span.from - LINGERS_MS && isUnsure(earlier));
    return maybe ? [] : [span];
  });
  return log
    .filter((operation) => operation.kind === "reserve" && acknowledged(operation).length > 0)
    .filter(({ sentAt, answeredAt }) => spans.some(({ from, to }) => sentAt > from && answeredAt < to))
    .map(({ key }) => finding("other", `reserve ${key} was admitted while the tenant was suspended`));
}

function isUnsure({ kind, replies }: Logged): boolean {
  return kind === "resume" && replies.some((reply) => reply === "unknown" || reply.status === 503);
}
