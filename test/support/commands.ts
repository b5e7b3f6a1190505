import { randomBytes } from "node:crypto";
import type {
  Amounts,
  Ask,
  Charge,
  Configure,
  CreateJob,
  EndJob,
  Expire,
  Extend,
  KeyUse,
  Release,
  Reserve,
  Settle,
  TenantChange,
} from "#libs/ledger";

const run = randomBytes(4).toString("hex");
let names = 0;

/** An id or key that nobody else made: specs that run one after another share a Redis. */
export function fresh(prefix: string): string {
  names += 1;
  return `${prefix}_${run}${names.toString().padStart(6, "0")}`;
}

/** An idempotency key with the digest of its request. */
export function keyed(key: string = fresh("K"), fingerprint = "the request"): KeyUse {
  return { key, fingerprint };
}

/** A number means so many tokens. */
export type Tokens = number | Amounts;

export function amountsOf(tokens: Tokens): Amounts {
  return typeof tokens === "number" ? { tokens } : tokens;
}

export function plan(children: number, attempts: number, attemptCost: Tokens): Ask {
  return { children, attempts, attemptCost: amountsOf(attemptCost) };
}

const made = new Map<string, Commands>();

/** The commands of one tenant, with what a test does not care about filled in. Asked for so often that they are kept. */
export function commandsOf(tenantId: string): Commands {
  const known = made.get(tenantId) ?? make(tenantId);
  made.set(tenantId, known);
  return known;
}

export type Commands = ReturnType<typeof make>;

function make(tenantId: string) {
  return {
    ...jobsOf(tenantId),
    ...settingsOf(tenantId),
    reserve: (jobId: string, ask: Tokens | Ask, fields: Partial<Reserve> = {}): Reserve => ({
      type: "reserve",
      tenantId,
      reservationId: fresh("rsv"),
      jobId,
      ask: isAsk(ask) ? ask : { amounts: amountsOf(ask) },
      admit: "all",
      ttlMs: 60_000,
      dryRun: false,
      service: null,
      key: fields.dryRun ? null : keyed(),
      ...fields,
    }),
    charge: (
      reservationId: string,
      [child, attempt]: readonly [number, number],
      actual: Tokens,
      outcome: Charge["outcome"] = "succeeded",
      key: KeyUse = keyed(),
    ): Charge => ({
      type: "charge",
      tenantId,
      reservationId,
      child,
      attempt,
      outcome,
      actual: amountsOf(actual),
      permit: null,
      key,
    }),
    settle: (reservationId: string, actual: Tokens): Settle => ({
      type: "settle",
      tenantId,
      reservationId,
      actual: amountsOf(actual),
    }),
    release: (reservationId: string): Release => ({ type: "release", tenantId, reservationId }),
    extend: (reservationId: string, ttlMs: number): Extend => ({ type: "extend", tenantId, reservationId, ttlMs }),
    expire: (reservationId: string): Expire => ({ type: "expire", tenantId, reservationId }),
  };
}

function jobsOf(tenantId: string) {
  return {
    createJob: (fields: Partial<CreateJob> = {}): CreateJob => ({
      type: "createJob",
      tenantId,
      jobId: fresh("job"),
      user: null,
      name: null,
      labels: {},
      allowance: {},
      parent: null,
      key: keyed(),
      ...fields,
    }),
    /** A child job, without a bound on its depth that a test would meet. */
    childOf: (jobId: string, grant: Tokens, fields: Partial<CreateJob> = {}): CreateJob =>
      commandsOf(tenantId).createJob({ parent: { jobId, grant: amountsOf(grant), mostDepth: 8 }, ...fields }),
    endJob: (jobId: string, state: EndJob["state"] = "closed"): EndJob => ({ type: "endJob", tenantId, jobId, state }),
  };
}

function settingsOf(tenantId: string) {
  return {
    configure: (change: TenantChange, fields: Partial<Configure> = {}): Configure => ({
      type: "configure",
      tenantId,
      change,
      actor: "admin",
      reason: null,
      key: null,
      ...fields,
    }),
    setLimit: (limit: number | null, unit = "tokens"): Configure =>
      commandsOf(tenantId).configure({ change: "allowance", unit, limit, period: "none", timeZone: "UTC" }),
    setUserLimit: (user: string, limit: number | null, unit = "tokens"): Configure =>
      commandsOf(tenantId).configure({
        change: "userAllowance",
        user,
        unit,
        setting: { limit, period: null, timeZone: null },
      }),
    takeUserLimit: (user: string, unit = "tokens"): Configure =>
      commandsOf(tenantId).configure({ change: "userAllowance", user, unit, setting: null }),
  };
}

function isAsk(ask: Tokens | Ask): ask is Ask {
  return (
    typeof ask === "object" && ("children" in ask || (typeof ask["amounts"] === "object" && ask["amounts"] !== null))
  );
}
