import fc from "fast-check";
import { serviceBookId, type AllowanceSetting, type Command, type Period } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import type { Made } from "./steps.js";
import { limit, zoned } from "./values.js";

/** What else bounds calls there; the ledger keeps it and does not read it. */
const flow = fc.constantFrom({}, { concurrency: 1 }, { concurrency: 2 });

export const configureService = fc.record({
  kind: fc.constant("configureService" as const),
  limits: fc.record({ tokens: limit, calls: limit }, { requiredKeys: [] }),
  zoned,
  flow,
});

/** `flow` null takes all away that is set for the tenant; a unit may be one that it has no allowance in. */
export const configureShare = fc
  .record({
    kind: fc.constant("configureShare" as const),
    limits: fc.oneof(
      { weight: 9, arbitrary: fc.record({ tokens: limit, calls: limit }, { requiredKeys: [] }) },
      { weight: 1, arbitrary: fc.constant(Object.fromEntries([["constructor", 1]])) },
    ),
    zoned,
    flow: fc.option(flow, { freq: 5 }),
  })
  .map((action) => (action.flow ? action : { ...action, limits: {} }));

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** An allowance that is not named is taken away. */
export function serviceCommand(action: Drawn<typeof configureService>, { tenantId, service }: Made): Command {
  if (service === null) return commandsOf(tenantId).release("rsv_none");
  const change = { change: "service", allowances: allowancesOf(action), flow: action.flow } as const;
  return commandsOf(serviceBookId(service)).configure(change);
}

export function shareCommand(action: Drawn<typeof configureShare>, { tenantId, service }: Made): Command {
  if (service === null) return commandsOf(tenantId).release("rsv_none");
  const change = { change: "share", service, allowances: allowancesOf(action), flow: action.flow } as const;
  return commandsOf(tenantId).configure(change);
}

interface Limits {
  readonly limits: Readonly<Record<string, number | null>>;
  readonly zoned: readonly [Period, string];
}

function allowancesOf({ limits, zoned: [period, timeZone] }: Limits): Record<string, AllowanceSetting> {
  return Object.fromEntries(Object.entries(limits).map(([name, to]) => [name, { limit: to, period, timeZone }]));
}
