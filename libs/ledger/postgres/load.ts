import type pg from "pg";
import {
  attemptsId,
  bookIn,
  MOST_DESCENDANTS,
  serviceBookId,
  type Books,
  type Period,
  type TenantBook,
  type Want,
} from "../domain/index.js";
import type { KnownFacts, ReservationFacts } from "./facts.js";
import * as row from "./rows.js";
import { rowsOf, sought, statement } from "./sql.js";

const WANTED = `unnest($1::text[], $2::text[]) AS w(tenant_id, id)`;

export const FIND_JOBS = statement("jobs", `SELECT ${row.JOB} FROM ${WANTED} JOIN jobs j USING (tenant_id, id)`);
export const FIND_KEYS = statement(
  "keys",
  `SELECT ${row.KEY} FROM ${WANTED} JOIN idempotency_keys k ON k.tenant_id = w.tenant_id AND k.key = w.id`,
);
export const FIND_BALANCES = statement(
  "balances",
  `SELECT ${row.BALANCE} FROM ${WANTED} JOIN balances b ON b.tenant_id = w.tenant_id AND b.key = w.id`,
);
export const PAGE_BALANCES = statement(
  "balances_page",
  `SELECT ${row.BALANCE} FROM balances b WHERE b.tenant_id = $1 AND b.key > $2 ORDER BY b.key LIMIT $3`,
);
export const FIND_OWN_LIMITS = statement(
  "own_limits",
  `SELECT ${row.ALLOWANCE} FROM ${WANTED}
   CROSS JOIN ${sought("allowances a", "a.tenant_id = w.tenant_id AND a.kind = 'user' AND a.scope_id = w.id")}`,
);
export const FIND_SETTINGS = statement(
  "settings",
  `SELECT ${row.ALLOWANCE} FROM allowances a WHERE a.tenant_id = ANY($1::text[]) AND (a.scope_id = '' OR a.kind = 'service')`,
);
const FIND_RESERVATIONS = statement(
  "reservations",
  `SELECT ${row.RESERVATION} FROM ${WANTED} JOIN reservations r USING (tenant_id, id)`,
);
/** Of a reservation whose facts are known. */
const FIND_STANDING_RESERVATIONS = statement(
  "standing_reservations",
  `SELECT ${row.RESERVATION_STANDING} FROM ${WANTED} JOIN reservations r USING (tenant_id, id)`,
);
/** Many reservations are held by one balance: each is named once before it is looked up. */
const FIND_HOLDERS = statement(
  "holders",
  `SELECT ${row.BALANCE} FROM (
     SELECT DISTINCT held.book, held.key FROM ${WANTED} JOIN reservations r USING (tenant_id, id)
     CROSS JOIN LATERAL (
       SELECT r.tenant_id AS book, unnest(r.keys) AS key
       UNION ALL SELECT '${serviceBookId("")}' || r.service, unnest(r.service_keys)
     ) AS held
   ) AS held JOIN balances b ON b.tenant_id = held.book AND b.key = held.key`,
);
/** Whoever moves a reservation of a child job asks which jobs of its line have ended. */
const FIND_LINES = statement(
  "lines",
  `SELECT ${row.JOB} FROM (
     SELECT DISTINCT r.tenant_id, line.id FROM ${WANTED} JOIN reservations r USING (tenant_id, id),
       unnest(r.job_id || r.ancestors) AS line(id) WHERE r.ancestors <> '{}'
   ) AS line JOIN jobs j USING (tenant_id, id)`,
);
const FIND_ATTEMPTS = statement(
  "attempts",
  `SELECT ${row.ATTEMPT} FROM unnest($1::text[], $2::text[], $3::bigint[]) AS w(tenant_id, reservation_id, child)
   JOIN attempts a USING (tenant_id, reservation_id, child) ORDER BY a.tenant_id, a.reservation_id, a.child, a.attempt`,
);
/** Below an ended job nothing is open. One row more than may be ended tells that there are too many. */
const FIND_DESCENDANTS = statement(
  "descendants",
  `WITH RECURSIVE below(id) AS (
     SELECT c.id FROM jobs c WHERE c.tenant_id = $1 AND c.parent_id = $2 AND c.state = 'open'
     UNION ALL
     SELECT c.id FROM below b
     CROSS JOIN ${sought("jobs c", "c.tenant_id = $1 AND c.parent_id = b.id AND c.state = 'open'")}
   )
   SELECT ${row.JOB} FROM (SELECT id FROM below LIMIT ${MOST_DESCENDANTS + 1}) AS b
   CROSS JOIN ${sought("jobs j", "j.tenant_id = $1 AND j.id = b.id")}`,
);
/** Of a service as a whole in its own book, of a tenant at it in the tenant's. */
const FIND_FLOWS = statement(
  "flows",
  `SELECT w.tenant_id, t.name, t.settings FROM ${WANTED}
     JOIN tenant_services t ON t.tenant_id = w.tenant_id AND t.name = w.id
   UNION ALL
   SELECT w.tenant_id, s.name, s.settings FROM ${WANTED}
     JOIN services s ON s.name = w.id AND w.tenant_id = '${serviceBookId("")}' || s.name`,
);
/** The longest that a window of each period lasts, and more. */
const LONGEST: Record<Exclude<Period, "none">, string> = {
  hour: "3 hours",
  day: "3 days",
  week: "10 days",
  month: "40 days",
};
/** Those of windows that may not be over: nothing sets a limit in another one, and there are as many as hours have passed. */
const FIND_USER_BALANCES = statement(
  "user_balances",
  `WITH since AS MATERIALIZED (
     SELECT ${Object.entries(LONGEST)
       .map(([period, span]) => `'${period}@' || to_char(now - interval '${span}', 'YYYY-MM-DD') AS ${period}`)
       .join(", ")}
     FROM (SELECT holdfast_now() AT TIME ZONE 'UTC' AS now) AS clock
   )
   SELECT ${row.BALANCE} FROM ${WANTED} CROSS JOIN since
   CROSS JOIN ${sought(
     "balances b",
     `b.tenant_id = w.tenant_id AND b.kind = 'user' AND b.unit = w.id AND b."window" COLLATE "C" >=
        CASE split_part(b."window", '@', 1)
          ${Object.keys(LONGEST)
            .map((period) => `WHEN '${period}' THEN ${period}`)
            .join(" ")} ELSE 'none' END`,
   )}`,
);

/** Fills the books with the rows that are wanted, all statements in one flight; what does not exist becomes null. */
export async function load(
  client: pg.ClientBase,
  books: Books,
  wants: readonly Want[],
  facts: KnownFacts,
): Promise<void> {
  // Many commands of a batch want the same row: their tenant's balance.
  const byKind = new Map<Kind, Map<string, Row>>();
  const add = (kind: Kind, want: Row): void => {
    let same = byKind.get(kind);
    if (!same) byKind.set(kind, (same = new Map()));
    same.set(rowKey(want), want);
  };
  for (const want of wants) {
    const known = want.kind === "reservation" && facts.find(want.tenantId, want.id);
    if (known) addKnown(add, want.tenantId, known);
    else add(want.kind, want);
  }
  await Promise.all([...byKind].map(([kind, wanted]) => LOADERS[kind](client, books, [...wanted.values()], facts)));
}

/** How it stands, and the rows that {@link loadHolders} and {@link loadLines} would seek through it. */
function addKnown(add: (kind: Kind, want: Row) => void, tenantId: string, facts: ReservationFacts): void {
  const { id, jobId, ancestors, keys, service, serviceKeys } = facts;
  add("standing", { tenantId, id });
  for (const key of keys) add("balance", { tenantId, id: key });
  for (const key of serviceKeys) add("balance", { tenantId: serviceBookId(service!), id: key });
  if (ancestors.length > 0) for (const job of [jobId, ...ancestors]) add("job", { tenantId, id: job });
}

type Kind = Want["kind"] | "standing";
type Row = Omit<Want, "kind">;
type Loader = (client: pg.ClientBase, books: Books, wants: readonly Row[], facts: KnownFacts) => Promise<void>;

const LOADERS: Record<Kind, Loader> = {
  tenant: () => Promise.reject(new Error("tenants are loaded with their lock")),
  settings: loadSettings,
  user: loadUsers,
  userBalances: loadUserBalances,
  descendants: loadDescendants,
  attempts: loadAttempts,
  job: rowLoader(FIND_JOBS, row.jobOf, (book) => book.jobs),
  balance: rowLoader(FIND_BALANCES, row.balanceOf, (book) => book.balances),
  flow: rowLoader<row.FlowColumns, object>(
    FIND_FLOWS,
    ([, , settings]) => settings,
    (book) => book.flows,
  ),
  key: rowLoader(FIND_KEYS, row.keyOf, (book) => book.keys),
  reservation: async (client, books, wants, facts) => {
    const around = [loadHolders(client, books, wants), loadLines(client, books, wants)];
    await Promise.all([...around, loadReservations(client, books, wants, facts)]);
    for (const { tenantId, id } of wants) {
      const reservation = books.get(tenantId)!.reservations.find(id);
      if (reservation) facts.learn(tenantId, reservation);
    }
  },
  standing: loadStanding,
};

export function columnsOf(rows: readonly { tenantId: string; id: string }[]): [string[], string[]] {
  return [rows.map(({ tenantId }) => tenantId), rows.map(({ id }) => id)];
}

/** For tables whose rows start with the tenant and the id by which they are wanted. */
function rowLoader<Columns extends [string, string, ...unknown[]], Entity>(
  sql: ReturnType<typeof statement>,
  entityOf: (columns: Columns) => Entity,
  tableOf: (book: TenantBook) => { fill(id: string, row: Entity | null): void },
): Loader {
  return async (client, books, wants) => {
    const rows = await rowsOf<Columns>(client, sql, columnsOf(wants));
    for (const columns of rows) tableOf(bookIn(books, columns[0])).fill(columns[1], entityOf(columns));
    for (const { tenantId, id } of wants) tableOf(bookIn(books, tenantId)).fill(id, null);
  };
}

const loadReservations = rowLoader(FIND_RESERVATIONS, row.reservationOf, (book) => book.reservations);

async function loadStanding(
  client: pg.ClientBase,
  books: Books,
  wants: readonly Row[],
  facts: KnownFacts,
): Promise<void> {
  const known = new Map(wants.map((want) => [rowKey(want), facts.find(want.tenantId, want.id)!]));
  const rows = await rowsOf<row.StandingColumns>(client, FIND_STANDING_RESERVATIONS, columnsOf(wants));
  for (const columns of rows) {
    const [tenantId, id] = columns;
    const reservation = row.standingOf(known.get(rowKey({ tenantId, id }))!, columns);
    books.get(tenantId)!.reservations.fill(id, reservation);
  }
  for (const { tenantId, id } of wants) books.get(tenantId)!.reservations.fill(id, null);
}

/** The balances that hold the wanted reservations; whatever closes a reservation needs them all. */
async function loadHolders(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  const rows = await rowsOf<row.BalanceColumns>(client, FIND_HOLDERS, columnsOf(wants));
  for (const columns of rows) bookIn(books, columns[0]).balances.fill(columns[1], row.balanceOf(columns));
}

async function loadLines(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  const rows = await rowsOf<row.JobColumns>(client, FIND_LINES, columnsOf(wants));
  for (const columns of rows) books.get(columns[0])!.jobs.fill(columns[1], row.jobOf(columns));
}

async function loadSettings(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  const ids = [...new Set(wants.map(({ tenantId }) => tenantId))];
  const rows = await rowsOf<row.AllowanceColumns>(client, FIND_SETTINGS, [ids]);
  for (const id of ids) books.get(id)!.settings = row.settingsOf(rows.filter(([tenantId]) => tenantId === id));
}

async function loadUsers(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  const rows = await rowsOf<row.AllowanceColumns>(client, FIND_OWN_LIMITS, columnsOf(wants));
  // A change of the tenant's default asks for all of its users at once.
  const found = new Map<string, row.AllowanceColumns[]>(wants.map((want) => [rowKey(want), []]));
  for (const columns of rows) found.get(rowKey({ tenantId: columns[0], id: columns[2] }))!.push(columns);
  for (const want of wants) {
    books.get(want.tenantId)!.users.fill(want.id, row.ownLimitsOf(found.get(rowKey(want))!));
  }
}

async function loadUserBalances(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  const rows = await rowsOf<row.BalanceColumns>(client, FIND_USER_BALANCES, columnsOf(wants));
  for (const columns of rows) books.get(columns[0])!.balances.fill(columns[1], row.balanceOf(columns));
  for (const { tenantId, id } of wants) books.get(tenantId)!.wholeUnits.add(id);
}

async function loadDescendants(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  await Promise.all(
    wants.map(async ({ tenantId, id }) => {
      const book = books.get(tenantId)!;
      for (const columns of await rowsOf<row.JobColumns>(client, FIND_DESCENDANTS, [tenantId, id])) {
        book.jobs.fill(columns[1], row.jobOf(columns));
      }
      book.wholeTrees.add(id);
    }),
  );
}

async function loadAttempts(client: pg.ClientBase, books: Books, wants: readonly Row[]): Promise<void> {
  const [tenants, ids] = columnsOf(wants);
  const places = ids.map((id) => id.split("/") as [string, string]);
  const columns = [tenants, places.map(([reservationId]) => reservationId), places.map(([, child]) => child)];
  const rows = await rowsOf<row.AttemptColumns>(client, FIND_ATTEMPTS, columns);
  const found = new Map<string, ReturnType<typeof row.attemptOf>[]>(wants.map((want) => [rowKey(want), []]));
  for (const one of rows) {
    const attempt = row.attemptOf(one);
    found.get(rowKey({ tenantId: one[0], id: attemptsId(attempt.reservationId, attempt.child) }))!.push(attempt);
  }
  for (const want of wants) books.get(want.tenantId)!.attempts.fill(want.id, found.get(rowKey(want))!);
}

function rowKey({ tenantId, id }: { tenantId: string; id: string }): string {
  return `${tenantId}/${id}`;
}
