import { edit, noBelt, noVersions, type Mutation } from "./mutation.js";
import { CLOSING_MUTATIONS } from "./mutations-closing.js";
import { SERVICE_MUTATIONS } from "./mutations-services.js";

const BATCH = "libs/ledger/protocol/batch.ts";
const BINDING = "libs/ledger/domain/binding.ts";
const DECIDE = "libs/ledger/domain/decide.ts";
const TABLES = "test/simulation/tables.ts";
const POSTGRES = "test/simulation/postgres.ts";

const noUniqueKey = edit(TABLES, "if (tables.keys.has(key) || seen.has(key))", "if (false)");
/** The tenants are locked only when the transaction writes: what was decided on may have changed since. */
const locksAfterDecision = [edit(POSTGRES, "for (const id of tenants.sort()) await this.lock(session, id);", "")];
const unlimited = (scope: string) =>
  edit(
    "libs/plan/admission.ts",
    "if (fits(bound.figures, requested)) continue;",
    `if (bound.scope.kind === "${scope}" || fits(bound.figures, requested)) continue;`,
  );

/** Faults of every part, and what each must be found by. */
export const MUTATIONS: readonly Mutation[] = [
  ...["job", "user", "tenant", "service"].map((scope) => ({
    name: `the rules ignore the limit of the ${scope}, and the belt is off`,
    edits: [unlimited(scope), noBelt],
    finds: /was (admitted|granted) over a limit|reserve failed/,
  })),
  {
    name: "the rules ignore the limit of the tenant, and only the belt holds",
    edits: [unlimited("tenant")],
    finds: /reserve failed/,
  },
  {
    name: "a user's balance is left out of what binds a job's work",
    edits: [edit(BINDING, "if (job.user !== null) {", "if (job.user === undefined) {")],
    finds: /over a limit|entries say|has figures|did not reach/,
  },
  {
    name: "locks are taken after the decision",
    edits: locksAfterDecision,
    finds: /failed: |ended twice/,
  },
  {
    name: "locks are taken after the decision, and versions are not compared",
    edits: [...locksAfterDecision, noVersions],
    finds: /its entries say|over a limit|went from|second effect|ended twice|failed: /,
  },
  {
    name: "a key is not looked up, and nothing keeps it unique",
    edits: [
      edit(DECIDE, "const record = use && book.keys.find(use.key);", "const record = null as KeyRecord | null;"),
      noUniqueKey,
    ],
    finds: /had a second effect|under a key in use/,
  },
  {
    name: "a key is not looked up, and only the record keeps it unique",
    edits: [edit(DECIDE, "const record = use && book.keys.find(use.key);", "const record = null as KeyRecord | null;")],
    finds: /failed: idempotency keys: in use|under a key in use/,
  },
  {
    name: "a denial is not refreshed",
    edits: [
      edit("libs/ledger/protocol/copies.ts", "judge(tenantId, holds, FRESH_MS)", "judge(tenantId, holds, 60_000)"),
    ],
    finds: /denied at .* it was never so of late|only .* were taken/,
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
    // Two processes must lock the same two tenants the other way round: a process never has one tenant in two batches.
    edits: [edit(POSTGRES, "tenants.sort()", "tenants")],
    finds: /deadlock/,
    first: 300,
  },
  {
    name: "a denial by copies does not ask whether its key has an effect",
    edits: [
      edit(
        "libs/ledger/ledger.ts",
        "const record = key && (await this.keys.find({ tenantId, id: key.key }));",
        "const record = null as KeyRecord | null;",
      ),
    ],
    finds: /refused .* under a key in use/,
  },
  {
    name: "a key stands for any request",
    edits: [edit(DECIDE, "if (record.fingerprint !== fingerprint)", "if (fingerprint === undefined)")],
    finds: /its key was used for another request/,
  },
  {
    name: "a new default does not reach the users that are known",
    edits: [
      edit(
        "libs/ledger/domain/rules/configure.ts",
        "for (const { balance, to } of users) changeLimit(book, command, balance, { from: balance.limit, to, now });",
        "",
      ),
    ],
    finds: /the default did not reach/,
  },
  {
    name: "an adjustment counts twice",
    edits: [edit("libs/ledger/domain/rules/configure.ts", "before.limit + delta;", "before.limit + 2 * delta;")],
    finds: /no limit moved by/,
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
  ...CLOSING_MUTATIONS,
  ...SERVICE_MUTATIONS,
];
