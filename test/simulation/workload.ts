import { serviceBookId, type Ask, type Command, type KeyUse, type TenantSettings } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import type { Random } from "../support/random.js";

export interface Holding {
  readonly id: string;
  readonly reserved: Readonly<Record<string, number>>;
}

/** What one client knows of its tenant. */
export interface Known {
  readonly tenantId: string;
  /** Services that work may be for. */
  readonly services: readonly string[];
  /** What the tenant itself may take at some of them. */
  readonly shares: TenantSettings["shares"];
  readonly jobs: string[];
  readonly holdings: Holding[];
}

/** Ids and keys of one run, by number: nothing of a run may come from outside its seed. */
export class Names {
  private made = 0;

  next(prefix: string): string {
    this.made += 1;
    return nameOf(prefix, this.made);
  }

  key(): KeyUse {
    return { key: this.next("K"), fingerprint: "the request" };
  }

  /** Now and then one that may have been used before, for another request. */
  someKey(random: Random): KeyUse {
    if (!random.chance(0.03)) return this.key();
    return { key: nameOf("K", random.int(1, this.made + 1)), fingerprint: this.next("another") };
  }
}

function nameOf(prefix: string, number: number): string {
  return `${prefix}_${number.toString(36).padStart(6, "0")}`;
}

export const USERS = ["ann", "bob", null] as const;

/** A request: under one key where it has one, with ids that the server makes anew each time it is sent. */
export type Request = () => Command;

/** What a client does next, by chance. */
export function nextRequest(random: Random, names: Names, known: Known): Request {
  const { tenantId, services, jobs, holdings } = known;
  const commands = commandsOf(tenantId);
  const roll = random.next();
  if (jobs.length === 0 || roll < 0.08) return createJob(random, names, known);
  if (roll < 0.55) return reserve(random, names, known);
  if (roll < 0.58) {
    const command = commands.endJob(random.pick(jobs), random.pick(["closed", "cancelled"]));
    return () => command;
  }
  if (roll < 0.66)
    return services.length > 0 && random.chance(0.2)
      ? configureService(random, known)
      : configure(random, names, tenantId);
  const holding = holdings.length > 0 ? random.pick(holdings) : { id: "rsv_none", reserved: { tokens: 1 } };
  if (roll < 0.73) return charge(random, names, tenantId, holding);
  const close = roll < 0.9 ? settleOf(random, holding) : undefined;
  if (close) return () => commands.settle(holding.id, close);
  const command = roll < 0.95 ? commands.release(holding.id) : commands.extend(holding.id, random.int(1_000, 3_000));
  return () => command;
}

function createJob(random: Random, names: Names, { tenantId, jobs }: Known): Request {
  const key = names.someKey(random);
  if (jobs.length > 0 && random.chance(0.5)) {
    const parent = random.pick(jobs);
    const grant = { tokens: random.int(0, 25), ...(random.chance(0.2) && { calls: random.int(0, 4) }) };
    return () => commandsOf(tenantId).childOf(parent, grant, { jobId: names.next("job"), key });
  }
  const user = random.pick(USERS);
  const allowance: Record<string, number> = random.chance(0.5) ? { tokens: random.int(0, 40) } : {};
  return () => commandsOf(tenantId).createJob({ jobId: names.next("job"), user, allowance, key });
}

function reserve(random: Random, names: Names, { tenantId, services, jobs }: Known): Request {
  const jobId = random.pick(jobs);
  const attemptCost = { tokens: random.int(0, 8), ...(random.chance(0.2) && { calls: random.int(0, 3) }) };
  const ask: Ask = random.chance(0.5)
    ? { amounts: { ...attemptCost, tokens: random.int(0, 25) } }
    : { children: random.int(1, 4), attempts: random.int(1, 2), attemptCost };
  const dryRun = random.chance(0.05);
  const fields = {
    key: dryRun ? null : names.someKey(random),
    dryRun,
    service: services.length > 0 && random.chance(0.5) ? random.pick(services) : null,
    admit: random.pick(["all", "all", "partial"] as const),
    ttlMs: random.pick([1_000, 1_500, 2_000, 3_000]),
  };
  return () => commandsOf(tenantId).reserve(jobId, ask, { ...fields, reservationId: names.next("rsv") });
}

/** Of few children and attempts, so that some are charged again, and some beyond the plan. */
function charge(random: Random, names: Names, tenantId: string, { id, reserved }: Holding): Request {
  const actual = Object.fromEntries(Object.keys(reserved).map((unit) => [unit, random.int(0, 9)]));
  const place = [random.int(1, 4), random.int(1, 3)] as const;
  const command = commandsOf(tenantId).charge(id, place, actual, random.pick(["succeeded", "failed"]), names.key());
  return () => command;
}

/** Mostly a part of what was reserved, sometimes more of it, sometimes nothing. */
function settleOf(random: Random, { reserved }: Holding): Record<string, number> {
  const share = random.pick([0, 0.5, 0.8, 1, 1, 1.3]);
  return Object.fromEntries(Object.entries(reserved).map(([unit, amount]) => [unit, Math.floor(amount * share)]));
}

/** Its limit alone, or that of the tenant there: what else bounds it, the ledger does not read. */
function configureService(random: Random, { tenantId, services, shares }: Known): Request {
  const shared = Object.keys(shares);
  if (shared.length > 0 && random.chance(0.5)) {
    const share = setShare(tenantId, shares, random.pick(shared), random.int(5, 60));
    return () => share;
  }
  const { bookId, allowances } = serviceWith(random.pick(services), random.int(20, 120));
  const command = commandsOf(bookId).configure({ change: "service", allowances, flow: {} });
  return () => command;
}

/** A service by its name and its limit: the last letter of its name says whether it counts by the hour. */
export function serviceWith(name: string, limit: number) {
  const period = name.endsWith("h") ? ("hour" as const) : ("none" as const);
  return { bookId: serviceBookId(name), allowances: { tokens: { limit, period, timeZone: "UTC" } } };
}

/** Another limit in the same window: which units are bound does not change in a run. */
export function setShare(tenantId: string, shares: Known["shares"], service: string, limit: number): Command {
  const allowances = { tokens: { ...shares[service]!["tokens"]!, limit } };
  return commandsOf(tenantId).configure({ change: "share", service, allowances, flow: {} });
}

function configure(random: Random, names: Names, tenantId: string): Request {
  const commands = commandsOf(tenantId);
  const roll = random.next();
  const key = names.someKey(random);
  if (roll < 0.4) {
    const change = { change: "adjust", unit: "tokens", delta: random.int(-30, 60) || 1 } as const;
    return () => commands.configure(change, { key });
  }
  const limit = random.int(0, 160);
  const fixed =
    roll < 0.6
      ? commands.configure({ change: "allowance", unit: "tokens", limit, period: null, timeZone: null })
      : roll < 0.85
        ? userLimit(random, tenantId)
        : commands.configure({ change: "state", state: random.pick(["active", "active", "suspended"]) });
  return () => fixed;
}

function userLimit(random: Random, tenantId: string): Command {
  const commands = commandsOf(tenantId);
  const limit = random.int(0, 80);
  if (random.chance(0.5)) return commands.setUserLimit(random.pick(["ann", "bob"]), limit);
  return commands.configure({ change: "patch", userAllowance: { tokens: random.chance(0.2) ? null : limit } });
}
