/** A fault put into the source by hand: the simulation must find it. */
export interface Mutation {
  readonly name: string;
  /** In these files, this text, which stands there once, becomes that. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** What the finding says. */
  readonly finds: RegExp;
}

const edit = (file: string, from: string, to: string) => ({ file, from, to });

const BATCH = "libs/ledger/protocol/batch.ts";
const BINDING = "libs/ledger/domain/binding.ts";
const CHARGE = "libs/ledger/domain/rules/charge.ts";
const CLOSE = "libs/ledger/domain/rules/close.ts";
const DECIDE = "libs/ledger/domain/decide.ts";
const GRANTS = "libs/ledger/domain/rules/grants.ts";
const TABLES = "test/simulation/tables.ts";
const POSTGRES = "test/simulation/postgres.ts";

/** The belt: the record repeats the limit as a condition. */
const noBelt = edit(TABLES, "if (bound && !fits)", "if (false)");
const noVersions = edit(TABLES, "if ((rows.get(balance.key)?.version ?? 0) !== readVersion)", "if (false)");
const noUniqueKey = edit(TABLES, "if (tables.keys.has(key) || seen.has(key))", "if (false)");
/** The tenants are locked only when the transaction writes: what was decided on may have changed since. */
const locksAfterDecision = [
  edit(POSTGRES, "for (const id of [...books.keys()].sort()) await this.lock(session, id);", ""),
];
const unlimited = (scope: string) =>
  edit(
    "libs/plan/admission.ts",
    "if (fits(bound.figures, requested)) continue;",
    `if (bound.scope.kind === "${scope}" || fits(bound.figures, requested)) continue;`,
  );

export const MUTATIONS: readonly Mutation[] = [
  ...["job", "user", "tenant"].map((scope) => ({
    name: `the rules ignore the limit of the ${scope}, and the belt is off`,
    edits: [unlimited(scope), noBelt],
    finds: /was admitted over a limit|reserve failed/,
  })),
  {
    name: "the rules ignore the limit of the tenant, and only the belt holds",
    edits: [unlimited("tenant")],
    finds: /reserve failed: balances: over the limit/,
  },
  {
    name: "a user's balance is left out of what binds a job's work",
    edits: [edit(BINDING, "if (job.user !== null) {", "if (job.user === undefined) {")],
    finds: /over a limit|entries say|has figures/,
  },
  {
    name: "locks are taken after the decision",
    edits: locksAfterDecision,
    finds: /failed: /,
  },
  {
    name: "locks are taken after the decision, and versions are not compared",
    edits: [...locksAfterDecision, noVersions],
    finds: /its entries say|over a limit|went from|second effect|failed: /,
  },
  {
    name: "a key is not looked up, and nothing keeps it unique",
    edits: [
      edit(DECIDE, "const record = use && book.keys.find(use.key);", "const record = null as KeyRecord | null;"),
      noUniqueKey,
    ],
    finds: /had a second effect/,
  },
  {
    name: "a key is not looked up, and only the record keeps it unique",
    edits: [edit(DECIDE, "const record = use && book.keys.find(use.key);", "const record = null as KeyRecord | null;")],
    finds: /failed: idempotency keys: in use/,
  },
  {
    name: "a late settle is dropped",
    edits: [
      edit(
        CLOSE,
        `const late = reservation.state === "expired" || isOverdue(reservation, now);`,
        `const late = reservation.state === "expired" || isOverdue(reservation, now);
  if (late) return done(reservationView(reservation));`,
      ),
    ],
    finds: /settle was acknowledged, but it is/,
  },
  {
    name: "a denial is not refreshed",
    edits: [
      edit("libs/ledger/protocol/copies.ts", "export const FRESH_MS = 2_000;", "export const FRESH_MS = 60_000;"),
    ],
    finds: /denied at .* it was never so of late/,
  },
  {
    name: "an answer leaves before the commit",
    edits: [
      edit(
        BATCH,
        "if ([...books.values()].some(({ isChanged }) => isChanged)) await transaction.commit(books);",
        "if ([...books.values()].some(({ isChanged }) => isChanged)) void transaction.commit(books).catch(() => undefined);",
      ),
    ],
    finds: /was acknowledged, but/,
  },
  {
    name: "an older copy replaces a newer one",
    edits: [edit("test/simulation/redis.ts", "if (!known || known.version <= balance.version)", "if (true)")],
    finds: /it was never so of late|only .* were taken/,
  },
  {
    name: "room that was given back is answered before the copies know it",
    edits: [
      edit(
        "libs/ledger/protocol/group-commit.ts",
        "answerThose(({ command }) => !freesRoom(command));",
        "answerThose(() => true);",
      ),
    ],
    finds: /it was never so of late/,
  },
  {
    name: "a copy that did not arrive is not doubted",
    edits: [
      edit(
        "libs/ledger/protocol/copies.ts",
        "this.unconfirmed.set(tenantId, this.runtime.now() + FRESH_MS);",
        "this.unconfirmed.set(tenantId, 0);",
      ),
    ],
    finds: /it was never so of late/,
  },
  {
    name: "a close that is repeated does not tell the copies",
    edits: [edit("libs/ledger/domain/rules/holders.ts", "book.consulted.set(balance.key, balance);", "")],
    finds: /it was never so of late/,
  },
  {
    name: "a settled reservation can be settled again",
    edits: [edit(CLOSE, `if (reservation.state === "settled") {`, "if (!reservation) {")],
    finds: /went from settled to settled|with/,
  },
  {
    name: "a settle that is repeated is refused",
    edits: [edit(CLOSE, "if (sameAmounts(reservation.actual!, command.actual))", "if (!reservation.actual)")],
    finds: /settle was refused \(already_settled\), though/,
  },
  {
    name: "a batch whose connection was lost is not run again, and answers that it was done",
    edits: [
      edit(
        "libs/ledger/protocol/group-commit.ts",
        'return this.fail(batch, new LedgerUnavailable("it cannot be reached", { cause: error }));',
        'return batch.forEach((one) => this.finish(one, () => one.resolve({ type: "done", answer: {}, replayed: false })));',
      ),
    ],
    finds: /was acknowledged, but/,
  },
  {
    name: "tenants are locked in the order in which they were named",
    edits: [edit(POSTGRES, "[...books.keys()].sort()", "[...books.keys()]")],
    finds: /deadlock/,
  },
  {
    name: "nothing is swept",
    edits: [edit(CLOSE, 'if (reservation.state !== "open" || !isOverdue(reservation, now))', "if (true)")],
    finds: /is open .* ms too long/,
  },
  {
    name: "an expired reservation keeps what it held",
    edits: [
      edit(
        "libs/ledger/domain/rules/holders.ts",
        "reserved: 0 - freed[unit]!,",
        `reserved: type === "expire" ? 0 : 0 - freed[unit]!,`,
      ),
    ],
    finds: /expire moved|are held|is open/,
  },
  {
    name: "a charge is booked twice",
    edits: [
      edit(CHARGE, "if (same) return repeat(same, command);", ""),
      edit(TABLES, "if (there.some((one) => one.attempt === attempt))", "if (false)"),
    ],
    finds: /was charged twice/,
  },
  {
    name: "a charge is booked twice, and only the record keeps it from that",
    edits: [edit(CHARGE, "if (same) return repeat(same, command);", "")],
    finds: /failed: attempts: already charged/,
  },
  {
    name: "a success returns nothing",
    edits: [edit(CHARGE, 'plan && outcome === "succeeded" ? plan.attempts - known.length : 1', "1")],
    finds: /charge moved/,
  },
  {
    name: "a plan can be charged beyond what was admitted",
    edits: [edit(CHARGE, "if (child > admittedChildren || attempt > attempts) {", "if (child < 0) {")],
    finds: /beyond its plan/,
  },
  {
    name: "a closed child's grant is kept",
    edits: [edit(GRANTS, "from.reserved - (lookUp(child.allowance, unit) ?? 0)", "from.reserved")],
    finds: /return moved|after the end of/,
  },
  {
    name: "what a child has spent does not reach its parent",
    edits: [edit(GRANTS, "const { spent } = from;", "const spent = from.spent * 0;")],
    finds: /return moved|after the end of/,
  },
  {
    name: "what an ended child settles does not reach its parent",
    edits: [
      edit("libs/ledger/domain/rules/holders.ts", "if (ancestors.length === 0) return [];", "if (jobId) return [];"),
    ],
    finds: /are held|after the end of|negative/,
  },
  {
    name: "the end of a job leaves those below it open",
    edits: [edit("libs/ledger/domain/rules/jobs.ts", "const ending = [...below, job];", "const ending = [job];")],
    finds: /is open below/,
  },
  {
    name: "a grant is not bound by what its parent has left, and the belt is off",
    edits: [edit(GRANTS, "if (denial) return refuse(denial);", "if (denial && !job) return refuse(denial);"), noBelt],
    finds: /was granted over a limit/,
  },
  {
    name: "everything is refused",
    edits: [
      edit(
        "libs/ledger/domain/rules/reserve.ts",
        "const denial = denialOf(ask, ask.children, bounds);",
        "const denial = denialOf(ask, ask.children, bounds.map((bound) => ({ ...bound, figures: { ...bound.figures, limit: 0 } })));",
      ),
    ],
    finds: /would have fitted|only .* were taken|it was never so/,
  },
];
