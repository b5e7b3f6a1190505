/** One run of the lab through the public API: a throw-away tenant, one decision a job, settlement, clean-up. */
import { randomUUID } from "node:crypto";
import {
  type Facts,
  type LabInputs,
  type LabScope,
  type Measured,
  type TenantFacts,
  tenantFacts,
  totalsOf,
} from "#libs/plan";
import { type Answer, Client, Fields, LabError } from "./client.js";
import { type Target } from "./options.js";

/** A decision with the ids it was made under. */
export interface LiveDecision extends Facts {
  readonly jobId: string;
  /** null when the job was denied. */
  readonly reservationId: string | null;
}

export interface LiveRun extends Measured {
  readonly decisions: readonly LiveDecision[];
}

/** Long enough that no reservation lapses before the last job is decided. */
const TTL_MS = 600_000;

/** Runs the inputs against `target`; `onDecision` hears of each decision as it comes. The tenant is deleted in any case. */
export async function runExperiment(
  target: Target,
  inputs: LabInputs,
  signal: AbortSignal,
  onDecision: (decision: LiveDecision) => void,
): Promise<LiveRun> {
  signal.throwIfAborted();
  // Without the signal: an interrupted creation would leave a tenant whose id nobody knows.
  const admin = new Client(target.url, target.adminKey);
  const tenant = await createTenant(admin, inputs);
  const remove = () => admin.send({ method: "DELETE", path: `/v1/admin/tenants/${tenant}`, expect: [200, 202, 204] });
  let run: LiveRun;
  try {
    const key = await createKey(new Client(target.url, target.adminKey, signal), tenant);
    run = await runJobs(new Client(target.url, key, signal), tenant, inputs, onDecision);
  } catch (error) {
    const removed = await remove().then(
      () => true,
      () => false,
    );
    if (removed || !(error instanceof LabError)) throw error;
    throw new LabError(`${error.message} (the throw-away tenant ${tenant} could not be deleted)`);
  }
  await remove();
  return run;
}

async function createTenant(admin: Client, inputs: LabInputs): Promise<string> {
  const body = {
    name: `lab ${randomUUID()}`,
    enforcement: inputs.mode,
    allowances: { units: { limit: inputs.tenantAllowance } },
    jobAllowance: { units: inputs.jobAllowance },
  };
  const answer = await admin.send({ method: "POST", path: "/v1/admin/tenants", body, expect: [201] });
  return Fields.of(answer).string("id");
}

async function createKey(admin: Client, tenant: string): Promise<string> {
  const path = `/v1/admin/tenants/${tenant}/keys`;
  return Fields.of(await admin.send({ method: "POST", path, body: { name: "lab" }, expect: [201] })).string("key");
}

async function runJobs(
  client: Client,
  tenant: string,
  inputs: LabInputs,
  onDecision: (decision: LiveDecision) => void,
): Promise<LiveRun> {
  const decisions: LiveDecision[] = [];
  for (let job = 1; job <= inputs.jobs; job += 1) {
    const decision = await decideJob(client, tenant, inputs, job);
    decisions.push(decision);
    onDecision(decision);
  }
  const decided = await tenantFigures(client);
  for (const { reservationId, requested } of decisions) {
    if (reservationId !== null) await settle(client, reservationId, requested);
  }
  const settled = await tenantFigures(client);
  return { decisions, totals: totalsOf(decisions, decided.reserved, settled), settled };
}

async function decideJob(client: Client, tenant: string, inputs: LabInputs, job: number): Promise<LiveDecision> {
  const created = await client.send({
    method: "POST",
    path: "/v1/jobs",
    body: { name: `lab job ${job}` },
    idempotencyKey: `lab-job-${job}`,
    expect: [201],
  });
  const jobId = Fields.of(created).string("id");
  const { children, attempts, cost } = inputs;
  const answer = await client.send({
    method: "POST",
    path: `/v1/jobs/${jobId}/reservations`,
    body: { plan: { children, attempts, attemptCost: { units: cost } }, ttlMs: TTL_MS },
    idempotencyKey: `lab-reservation-${job}`,
    expect: [201, 402],
  });
  const ids = { job: jobId, tenant };
  const decided = answer.status === 402 ? denied(answer, ids) : admitted(answer, ids);
  return { job, jobId, ...decided, ...tenantFacts(await tenantFigures(client)) };
}

type Decided = Omit<LiveDecision, "job" | "jobId" | keyof TenantFacts>;
/** The ids that the scopes of a decision must carry. */
type ScopeIds = Readonly<Record<string, string>>;

function denied(answer: Answer, ids: ScopeIds): Decided {
  const problem = Fields.of(answer);
  const maxChildren = problem.integer("maxChildren");
  return { outcome: "denied", ...reason(problem, ids), maxChildren, reservationId: null };
}

function admitted(answer: Answer, ids: ScopeIds): Decided {
  const reservation = Fields.of(answer);
  const reservationId = reservation.string("id");
  const requested = reservation.object("reserved").integer("units");
  if (reservation.has("wouldDeny")) {
    const why = reason(reservation.object("wouldDeny"), ids);
    return { outcome: "observed", ...why, requested, maxChildren: null, reservationId };
  }
  const none = { scope: null, code: null, limit: null, spent: null, reserved: null, available: null };
  return { outcome: "admitted", ...none, requested, maxChildren: null, reservationId };
}

/** Why a request was, or would have been, denied. A scope with another id than this run's is shown with that id. */
function reason(from: Fields, ids: ScopeIds) {
  const scope = from.object("scope");
  const [kind, id] = [scope.string("kind"), scope.string("id")];
  return {
    scope: ids[kind] === id ? kind : `${kind} ${id}`,
    code: from.string("code"),
    limit: from.integer("limit"),
    spent: from.integer("spent"),
    reserved: from.integer("reserved"),
    available: from.integer("available"),
    requested: from.integer("requested"),
  };
}

async function settle(client: Client, reservation: string, units: number): Promise<void> {
  const path = `/v1/reservations/${reservation}/settle`;
  await client.send({ method: "POST", path, body: { actual: { units } }, expect: [200] });
}

async function tenantFigures(client: Client): Promise<LabScope> {
  const answer = await client.send({ method: "GET", path: "/v1/balances?scope=tenant", expect: [200] });
  const [balance] = Fields.of(answer)
    .list("data")
    .filter((row) => row.string("unit") === "units");
  if (balance === undefined) throw new LabError(`${answer.call} answered without the tenant's units`);
  return {
    limit: balance.integer("limit"),
    reserved: balance.integer("reserved"),
    spent: balance.integer("spent"),
    available: balance.integer("available"),
    overage: balance.integer("overage"),
  };
}
