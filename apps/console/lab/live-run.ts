/** The lab's inputs through the real API: a throw-away tenant, one decision a job, settlement, clean-up. */
import { type Facts, type LabInputs, type LabScope, type Measured, tenantFacts, totalsOf } from "#libs/plan";
import { ApiProblem, call } from "../api/call.js";
import type { Balance, Denial, Job, NewKey, Page, Reservation, Tenant, WouldDeny } from "../api/types.js";

/** Long enough that no reservation lapses before the last job is decided. */
const TTL_MS = 600_000;

interface LiveDecision extends Facts {
  /** null when the job was denied. */
  readonly reservationId: string | null;
}

export interface Watcher {
  readonly signal: AbortSignal;
  /** Hears of each decision as it comes. */
  onDecision(decided: number): void;
}

/**
 * Runs the inputs in a tenant of its own, which is deleted in any case, also when `signal` stops the run or the page is
 * closed. Needs the operator's key. @throws what `call` throws.
 */
export async function runLive(adminKey: string, inputs: LabInputs, { signal, onDecision }: Watcher): Promise<Measured> {
  signal.throwIfAborted();
  // Without the signal: a creation that is cut off would leave a tenant whose id nobody knows.
  const tenant = await createTenant(adminKey, inputs);
  const remove = (keepalive: boolean) =>
    call<Tenant>(adminKey, "DELETE", `/v1/admin/tenants/${tenant}`, { keepalive }).catch(ignoreGone);
  const leave = (): void => void remove(true).catch(() => undefined);
  window.addEventListener("pagehide", leave);
  try {
    const path = `/v1/admin/tenants/${tenant}/keys`;
    const { key } = await call<NewKey>(adminKey, "POST", path, { body: { name: "lab" }, signal });
    return await runJobs(key, inputs, { signal, onDecision });
  } finally {
    window.removeEventListener("pagehide", leave);
    await remove(false);
  }
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.code !== "not_found") throw error;
}

async function createTenant(adminKey: string, inputs: LabInputs): Promise<string> {
  const body = {
    name: `lab ${crypto.randomUUID()}`,
    enforcement: inputs.mode,
    allowances: { units: { limit: inputs.tenantAllowance } },
    jobAllowance: { units: inputs.jobAllowance },
  };
  return (await call<Tenant>(adminKey, "POST", "/v1/admin/tenants", { body })).id;
}

async function runJobs(key: string, inputs: LabInputs, { signal, onDecision }: Watcher): Promise<Measured> {
  const decisions: LiveDecision[] = [];
  for (let job = 1; job <= inputs.jobs; job += 1) {
    decisions.push(await decide(key, inputs, job, signal));
    onDecision(job);
  }
  const decided = await tenantFigures(key, signal);
  for (const { reservationId, requested } of decisions) {
    if (reservationId === null) continue;
    const body = { actual: { units: requested } };
    await call<Reservation>(key, "POST", `/v1/reservations/${reservationId}/settle`, { body, signal });
  }
  const settled = await tenantFigures(key, signal);
  // What is compared has no ids.
  const facts = decisions.map(({ reservationId: _, ...rest }) => rest);
  return { decisions: facts, totals: totalsOf(facts, decided.reserved, settled), settled };
}

async function decide(key: string, inputs: LabInputs, job: number, signal: AbortSignal): Promise<LiveDecision> {
  const made = { body: { name: `lab job ${job}` }, idempotencyKey: `lab-job-${job}`, signal };
  const { id } = await call<Job>(key, "POST", "/v1/jobs", made);
  const decided = await reserve(key, id, inputs, job, signal);
  return { job, ...decided, ...tenantFacts(await tenantFigures(key, signal)) };
}

type Decided = Omit<LiveDecision, "job" | keyof ReturnType<typeof tenantFacts>>;

async function reserve(
  key: string,
  jobId: string,
  { children, attempts, cost }: LabInputs,
  job: number,
  signal: AbortSignal,
): Promise<Decided> {
  const plan = { children, attempts, attemptCost: { units: cost } };
  const asked = { body: { plan, ttlMs: TTL_MS }, idempotencyKey: `lab-reservation-${job}`, signal };
  try {
    const made = await call<Reservation>(key, "POST", `/v1/jobs/${jobId}/reservations`, asked);
    const { id, reserved, wouldDeny } = made;
    const requested = reserved["units"] ?? 0;
    if (wouldDeny)
      return { ...reason(wouldDeny), requested, outcome: "observed", maxChildren: null, reservationId: id };
    const none = { scope: null, code: null, limit: null, spent: null, reserved: null, available: null };
    return { ...none, requested, outcome: "admitted", maxChildren: null, reservationId: id };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 402) throw error;
    const denial = error.body as unknown as Denial & WouldDeny;
    return { ...reason(denial), outcome: "denied", maxChildren: denial.maxChildren ?? null, reservationId: null };
  }
}

function reason({ scope, code, limit, spent, reserved, available, requested }: WouldDeny) {
  return { scope: scope?.kind ?? null, code, limit: limit as number, spent, reserved, available, requested };
}

async function tenantFigures(key: string, signal: AbortSignal): Promise<LabScope> {
  const { data } = await call<Page<Balance>>(key, "GET", "/v1/balances?scope=tenant", { signal });
  const { limit, reserved, spent, available, overage } = data.find(({ unit }) => unit === "units")!;
  return { limit: limit as number, reserved, spent, available, overage };
}
