import fc from "fast-check";
import { decide, type Denial, type Outcome, type TenantBook } from "#libs/ledger";
import { LAB_MODES, LAB_RANGES, runModel, type LabInputs, type LabRun } from "#libs/plan";
import { bookOf, expectSound, NOON } from "../support/book.js";
import { commandsOf, plan } from "../support/commands.js";

/** Small figures make every kind of decision common; the whole ranges have the large ones. */
const small = fc.record({
  jobs: fc.integer({ min: 1, max: 12 }),
  children: fc.integer({ min: 1, max: 6 }),
  attempts: fc.integer({ min: 1, max: 4 }),
  cost: fc.integer({ min: 1, max: 30 }),
  jobAllowance: fc.integer({ min: 0, max: 600 }),
  tenantAllowance: fc.integer({ min: 0, max: 3_000 }),
  mode: fc.constantFrom(...LAB_MODES),
});
const range = (name: keyof typeof LAB_RANGES) => fc.integer({ min: LAB_RANGES[name].min, max: LAB_RANGES[name].max });
const whole = fc.record({
  jobs: fc.integer({ min: 1, max: 12 }),
  children: range("children"),
  attempts: range("attempts"),
  cost: range("cost"),
  jobAllowance: range("jobAllowance"),
  tenantAllowance: range("tenantAllowance"),
  mode: fc.constantFrom(...LAB_MODES),
});
const inputs: fc.Arbitrary<LabInputs> = fc.oneof({ weight: 3, arbitrary: small }, { weight: 1, arbitrary: whole });

/** The lab's experiment on a whole book: each job reserves its plan; then what was admitted settles what it reserved. */
function runLedger({ jobs, children, attempts, cost, jobAllowance, tenantAllowance, mode }: LabInputs) {
  const book = bookOf({
    enforcement: mode,
    allowances: { units: tenantAllowance },
    jobAllowance: { units: jobAllowance },
  });
  const commands = commandsOf(book.tenantId);
  const ask = plan(children, attempts, { units: cost });
  const decisions = Array.from({ length: jobs }, () => {
    const job = commands.createJob();
    decide(book, job, NOON);
    const before = figuresOf(book, job.jobId);
    const outcome = decide(book, commands.reserve(job.jobId, ask), NOON);
    return { outcome, before, after: figuresOf(book, job.jobId) };
  });
  for (const { outcome } of decisions) {
    if (outcome.type === "refused") continue;
    const { id, reserved } = outcome.answer as { id: string; reserved: Record<string, number> };
    decide(book, commands.settle(id, reserved), NOON);
  }
  expectSound(book);
  return { book, decisions };
}

/** `[reserved, spent]` of the job and of the tenant. */
function figuresOf(book: TenantBook, jobId: string): Record<"job" | "tenant", [number, number]> {
  const taken = (key: string): [number, number] => {
    const row = book.balances.find(key);
    return row ? [row.reserved, row.spent] : [0, 0];
  };
  return { job: taken(`job:${jobId}:units:none`), tenant: taken(`tenant:${book.tenantId}:units:none`) };
}

/** What the model and the ledger say of one job, in the words of the model. */
function modelWords({ outcome, code, scope, advice, planned, before, after }: LabRun["decisions"][number]) {
  const taken = ({ job, tenant }: typeof before) => ({
    job: [job.reserved, job.spent],
    tenant: [tenant.reserved, tenant.spent],
  });
  return {
    outcome,
    code,
    scope,
    maxChildren: advice?.maxChildren ?? null,
    requested: code && planned,
    before: taken(before),
    after: taken(after),
  };
}

function ledgerWords({ outcome, before, after }: ReturnType<typeof runLedger>["decisions"][number]) {
  const denial = denialIn(outcome);
  const word = outcome.type === "refused" ? "denied" : denial ? "observed" : "admitted";
  const { code = null, scope, maxChildren: most = null, requested = null } = denial ?? {};
  return { outcome: word, code, scope: scope?.kind ?? null, maxChildren: most, requested, before, after };
}

function denialIn(outcome: Outcome): Partial<Denial> | undefined {
  return outcome.type === "refused" ? outcome.refusal.denial : (outcome.answer as { wouldDeny?: Denial }).wouldDeny;
}

describe("the lab's model and the ledger's rules, which share no code", () => {
  it("decide every job alike: outcome, code, scope, advice and every figure before and after", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const model = runModel(given);
        const { book, decisions } = runLedger(given);
        expect(decisions.map(ledgerWords)).toEqual(model.decisions.map(modelWords));
        const tenant = book.balances.find(`tenant:${book.tenantId}:units:none`);
        expect([tenant?.reserved ?? 0, tenant?.spent ?? 0]).toEqual([model.settled.reserved, model.settled.spent]);
        expect(decisions.filter(({ outcome }) => outcome.type === "done")).toHaveLength(model.totals.admitted);
      }),
      { numRuns: 400 },
    );
  });

  it("admit exactly what the advice says would have fitted", () => {
    fc.assert(
      fc.property(
        small.filter(({ mode }) => mode === "enforce"),
        (given) => {
          const advised = runModel(given).decisions.find(({ advice }) => advice !== null && advice.maxChildren > 0);
          if (!advised) return;
          const { jobAllowance, attempts, cost } = given;
          const book = bookOf({ allowances: { units: given.tenantAllowance }, jobAllowance: { units: jobAllowance } });
          const commands = commandsOf(book.tenantId);
          const reserve = (ask: Parameters<typeof commands.reserve>[1]) => {
            const job = commands.createJob({ allowance: {} });
            decide(book, job, NOON);
            return decide(book, commands.reserve(job.jobId, ask), NOON).type;
          };
          for (let i = 1; i < advised.step; i += 1) reserve(plan(given.children, attempts, { units: cost }));
          expect(reserve(plan(advised.advice!.maxChildren + 1, attempts, { units: cost }))).toBe("refused");
          expect(reserve(plan(advised.advice!.maxChildren, attempts, { units: cost }))).toBe("done");
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keep the planned total exact, or refuse it, to the last whole number", () => {
    const factor = fc.oneof(
      fc.integer({ min: 1, max: 1_000 }),
      fc.constantFrom(2 ** 26, 2 ** 27, 2 ** 52),
      fc.maxSafeNat(),
    );
    fc.assert(
      fc.property(factor, factor, factor, (children, attempts, cost) => {
        const given = { children: children || 1, attempts: attempts || 1, attemptCost: { units: cost } };
        const planned = BigInt(given.children) * BigInt(given.attempts) * BigInt(cost);
        const book = bookOf({ allowances: { units: null } });
        const commands = commandsOf(book.tenantId);
        const job = commands.createJob();
        decide(book, job, NOON);
        const outcome = decide(book, commands.reserve(job.jobId, given), NOON);
        if (outcome.type === "refused")
          expect([planned > BigInt(Number.MAX_SAFE_INTEGER), outcome.refusal.code]).toEqual([
            true,
            "validation_failed",
          ]);
        else expect(BigInt((outcome.answer as { reserved: { units: number } }).reserved.units)).toBe(planned);
      }),
      { numRuns: 500 },
    );
  });
});
