import fc from "fast-check";
import type { Command, Outcome, TenantChange } from "#libs/ledger";
import type { BookSettings } from "../support/book.js";
import { commandsOf, keyed } from "../support/commands.js";
import { configureService, configureShare, serviceCommand, shareCommand } from "./service-steps.js";
import { amounts, ask, limit, small, unit, user, zoned } from "./values.js";

/** What was made so far in one tenant, for later commands to pick from. */
export interface Made {
  readonly tenantId: string;
  /** The service that work may be for; null: there is none. */
  readonly service: string | null;
  readonly jobs: string[];
  /** Reservation id → the units that it asked for. */
  readonly reservations: { id: string; units: string[] }[];
  readonly sent: Command[];
}

export interface Placed {
  readonly tenant: number;
  readonly action: Action;
}

export type Step =
  | { readonly type: "one"; readonly placed: Placed; readonly how: How }
  | { readonly type: "group"; readonly actions: readonly Placed[]; readonly inBatch: boolean }
  | { readonly type: "advance"; readonly byMs: number };

/**
 * How a client sends a request, where there is one between it and the ledger: once; then the same again, at the same
 * process or at another; then another one under the same key; at two processes at once; or so that it goes away in the
 * middle of the body, once all is sent, or when the answer begins, and then asks again.
 */
export const HOWS = ["once", "again", "elsewhere", "otherwise", "twice", "half", "sent", "answered"] as const;
export type How = (typeof HOWS)[number];

export const TENANTS = 3;

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];
const reserve = fc.record({
  kind: fc.constant("reserve" as const),
  job: fc.nat(),
  ask,
  admit: fc.constantFrom("all" as const, "partial" as const),
  dryRun: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
  ttlMs: fc.constantFrom(1_000, 60_000, 7_200_000),
  atService: fc.boolean(),
  /** Under a key that an earlier command may have used, for another request. */
  reuses: fc.oneof({ weight: 14, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat() }),
});
const createJob = fc.record({
  kind: fc.constant("createJob" as const),
  user,
  most: fc.option(fc.oneof(small, fc.noBias(fc.nat(150)))),
  /** A child of an earlier job. */
  child: fc.option(fc.record({ of: fc.nat(), grant: amounts })),
});
const endJob = fc.record({
  kind: fc.constant("endJob" as const),
  job: fc.nat(),
  state: fc.constantFrom("closed" as const, "cancelled" as const),
});
const settle = fc.record({ kind: fc.constant("settle" as const), which: fc.nat(), actual: small });
const charge = fc.record({
  kind: fc.constant("charge" as const),
  which: fc.nat(),
  place: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  outcome: fc.constantFrom("succeeded" as const, "failed" as const),
  actual: small,
});
const close = fc.record({ kind: fc.constantFrom("release" as const, "expire" as const), which: fc.nat() });
const extend = fc.record({
  kind: fc.constant("extend" as const),
  which: fc.nat(),
  ttlMs: fc.constantFrom(1_000, 600_000),
});
const again = fc.record({ kind: fc.constant("again" as const), which: fc.nat() });
const allowance = fc
  .record({ change: fc.constant("allowance" as const), unit: fc.constantFrom("tokens", "tokens", "calls"), limit })
  .chain((change) =>
    fc.option(zoned, { freq: 4 }).map((given) => ({
      ...change,
      period: given && given[0],
      timeZone: given && given[1],
    })),
  );
const ownSetting = fc
  .tuple(limit, fc.option(zoned))
  .map(([of, given]) => ({ limit: of, period: given && given[0], timeZone: given && given[1] }));
const own = fc.record({
  change: fc.constant("userAllowance" as const),
  user: fc.constantFrom("ann", "bob:c", "a/b", "é %+&?#"),
  unit,
  setting: fc.option(ownSetting, { freq: 3 }),
});
const configure = fc.record({
  kind: fc.constant("configure" as const),
  change: fc.oneof<fc.Arbitrary<TenantChange>[]>(
    allowance,
    own,
    fc.record({
      change: fc.constant("adjust" as const),
      unit,
      delta: fc.integer({ min: -100, max: 100 }).filter(Boolean),
    }),
    fc.tuple(unit, limit).map(([name, to]) => ({ change: "patch", userAllowance: { [name]: to } })),
    fc.tuple(unit, limit).map(([name, to]) => ({ change: "patch", jobAllowance: { [name]: to } })),
    fc.constantFrom<TenantChange[]>(
      { change: "patch", enforcement: "enforce" },
      { change: "patch", enforcement: "observe" },
    ),
    fc
      .constantFrom<("active" | "suspended")[]>("active", "active", "suspended")
      .map((state) => ({ change: "state", state })),
  ),
});

const action = fc.oneof(
  { weight: 4, arbitrary: createJob },
  { weight: 14, arbitrary: reserve },
  { weight: 8, arbitrary: settle },
  { weight: 6, arbitrary: charge },
  { weight: 3, arbitrary: close },
  { weight: 1, arbitrary: extend },
  { weight: 4, arbitrary: configure },
  { weight: 1, arbitrary: configureService },
  { weight: 2, arbitrary: configureShare },
  { weight: 2, arbitrary: endJob },
  { weight: 3, arbitrary: again },
);

/** Remembers a command and what it made. */
export function remember({ jobs, reservations, sent }: Made, command: Command, outcome: Outcome): void {
  sent.push(command);
  if (outcome.type === "refused" || outcome.replayed) return;
  if (command.type === "createJob") jobs.push(command.jobId);
  if (command.type !== "reserve" || command.dryRun) return;
  const units = "amounts" in command.ask ? command.ask.amounts : command.ask.attemptCost;
  reservations.push({ id: command.reservationId, units: Object.keys(units) });
}

/** Something to do, as far as it can be said before it is known what there is by then. */
export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** The command of an action, made of what there is by now. */
export function commandOf(action: Action, made: Made): Command {
  const { jobs, reservations, sent } = made;
  const commands = commandsOf(made.tenantId);
  if (action.kind === "again") return pick(sent, action.which) ?? commands.release("rsv_none");
  if (action.kind === "configure")
    return commands.configure(action.change, action.change.change === "adjust" ? { key: keyed() } : {});
  if (action.kind === "configureService") return serviceCommand(action, made);
  if (action.kind === "configureShare") return shareCommand(action, made);
  if (action.kind === "createJob") return createJobOf(action, made);
  if (action.kind === "endJob") return commands.endJob(pick(jobs, action.job) ?? "job_none", action.state);
  if (action.kind === "reserve") return reserveOf(action, made);
  const { id, units } = pick(reservations, action.which) ?? { id: "rsv_none", units: ["tokens"] };
  const actual = (amount: number) => Object.fromEntries(units.map((name) => [name, amount]));
  if (action.kind === "settle") return commands.settle(id, actual(action.actual));
  if (action.kind === "charge") return commands.charge(id, action.place, actual(action.actual), action.outcome);
  return action.kind === "extend" ? commands.extend(id, action.ttlMs) : commands[action.kind](id);
}

/** A child is mostly of its parent's user, which it need not name. */
function createJobOf({ user: named, most, child }: Extract<Action, { kind: "createJob" }>, made: Made): Command {
  const commands = commandsOf(made.tenantId);
  if (child === null) return commands.createJob({ user: named, allowance: most === null ? {} : { tokens: most } });
  const parent = pick(made.jobs, child.of) ?? "job_none";
  return commands.childOf(parent, child.grant, { user: most === null ? named : null });
}

function reserveOf(
  { ask: asked, admit, dryRun, ttlMs, job, reuses, atService }: Extract<Action, { kind: "reserve" }>,
  made: Made,
): Command {
  const command = commandsOf(made.tenantId).reserve(pick(made.jobs, job) ?? "job_none", asked, {
    admit,
    dryRun,
    ttlMs,
    service: atService ? made.service : null,
  });
  const used =
    reuses === null
      ? undefined
      : pick(
          made.sent.flatMap((one) => ("key" in one && one.key ? [one.key.key] : [])),
          reuses,
        );
  return used === undefined ? command : { ...command, key: { key: used, fingerprint: "another request" } };
}

const placed: fc.Arbitrary<Placed> = fc.record({ tenant: fc.nat(TENANTS - 1), action });
const how = fc.oneof(
  { weight: 2, arbitrary: fc.constant<How>("once") },
  { weight: 5, arbitrary: fc.constantFrom(...HOWS) },
);
const group = fc.record({
  type: fc.constant("group" as const),
  actions: fc.array(placed, { minLength: 2, maxLength: 7 }),
  inBatch: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ type: fc.constant("one" as const), placed, how }) },
  { weight: 3, arbitrary: group },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1, 999, 1_000, 60_000, 3_600_000, 86_400_000)
      .map((byMs): Step => ({ type: "advance", byMs })),
  },
);

/** So many steps. */
export const stepsOf = (minLength: number, maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength, maxLength, size: "max" });

const setting: fc.Arbitrary<BookSettings> = fc
  .record({
    limit,
    zoned,
    user: fc.option(fc.nat(150)),
    job: fc.option(fc.nat(150)),
    enforcement: fc.constantFrom("enforce", "enforce", "enforce", "observe"),
  })
  .map(({ limit: most, zoned: [period, timeZone], user: users, job, enforcement }) => ({
    enforcement,
    allowances: { tokens: { limit: most, period, timeZone }, calls: 10 },
    userAllowance: users === null ? {} : { tokens: users },
    jobAllowance: job === null ? {} : { tokens: job },
  }));

/** What is set for each of the tenants. */
export const settings: fc.Arbitrary<BookSettings[]> = fc.array(setting, { minLength: TENANTS, maxLength: TENANTS });
