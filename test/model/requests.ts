import {
  MAX_AMOUNT,
  serviceOfBook,
  type AllowanceSetting,
  type Command,
  type Configure,
  type KeyUse,
  type Outcome,
  type Refusal,
  type UserAllowanceSetting,
} from "#libs/ledger";
import { useOf } from "../../apps/api/idempotency/key.js";
import { PROBLEMS } from "../../apps/api/problems/table.js";
import { isUserName, USER_RULE } from "../../apps/api/validation/text.js";

/** What a client sends for a command. */
export interface Sent {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body: object | undefined;
  readonly key: string | null;
  /** By the operator. */
  readonly isAdmin: boolean;
}

/** What it gets. */
export interface Got {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: object;
}

const REASON = "as agreed";

export function requestOf(command: Command): Sent {
  const of = (path: string, body?: object, key: KeyUse | null = null): Sent => ({
    method: "POST",
    path: `/v1/${path}`,
    body,
    key: key && key.key,
    isAdmin: false,
  });
  switch (command.type) {
    case "createJob":
      return of("jobs", jobBody(command), command.key);
    case "endJob":
      return of(`jobs/${command.jobId}/${command.state === "closed" ? "close" : "cancel"}`);
    case "reserve":
      return of(`jobs/${command.jobId}/reservations`, reserveBody(command), command.dryRun ? null : command.key);
    case "charge": {
      const { child, attempt, outcome, actual, key } = command;
      return of(`reservations/${command.reservationId}/charges`, { child, attempt, outcome, actual }, key);
    }
    case "settle":
      return of(`reservations/${command.reservationId}/settle`, { actual: command.actual });
    case "release":
      return of(`reservations/${command.reservationId}/release`);
    case "extend":
      return of(`reservations/${command.reservationId}/extend`, { ttlMs: command.ttlMs });
    case "configure":
      return { ...of(`admin/tenants/${command.tenantId}`), ...configureRequest(command), isAdmin: true };
    default:
      throw new Error(`nobody sends ${command.type}`);
  }
}

type Of<Type extends Command["type"]> = Extract<Command, { type: Type }>;

function jobBody({ user, name, allowance, parent }: Of<"createJob">): object {
  return {
    ...(user !== null && { user }),
    ...(name !== null && { name }),
    ...(Object.keys(allowance).length > 0 && { allowance }),
    ...(parent && { parentJobId: parent.jobId, grant: parent.grant }),
  };
}

/** What is by default is left out. */
function reserveBody({ ask, ttlMs, admit, dryRun, service }: Of<"reserve">): object {
  return {
    ...("amounts" in ask ? ask : { plan: ask }),
    ...(ttlMs !== 60_000 && { ttlMs }),
    ...(admit === "partial" && { admit }),
    ...(dryRun && { dryRun }),
    ...(service !== null && { service }),
  };
}

function configureRequest({ tenantId, change, key }: Configure): Partial<Sent> {
  const path = `/v1/admin/tenants/${tenantId}`;
  switch (change.change) {
    case "state":
      return { path: `${path}/${change.state === "active" ? "resume" : "suspend"}` };
    case "patch": {
      const { change: _, ...body } = change;
      return { method: "PATCH", body };
    }
    case "service":
      return {
        method: "PUT",
        path: `/v1/admin/services/${serviceOfBook(tenantId)}`,
        body: boundBody(change),
      };
    case "share":
      return change.flow
        ? { method: "PUT", path: `${path}/services/${change.service}`, body: boundBody(change) }
        : { method: "DELETE", path: `${path}/services/${change.service}`, body: undefined };
    case "adjust": {
      const body = { delta: change.delta, reason: REASON };
      return { path: `${path}/allowances/${change.unit}/adjust`, body, key: key!.key };
    }
    case "userAllowance": {
      const { user, unit, setting } = change;
      const at = `${path}/users/${encodeURIComponent(user)}/allowances/${unit}`;
      return setting
        ? { method: "PUT", path: at, body: limitBody(setting) }
        : { method: "DELETE", path: `${at}?reason=${encodeURIComponent(REASON)}`, body: undefined };
    }
    case "allowance":
      return { method: "PUT", path: `${path}/allowances/${change.unit}`, body: limitBody(change) };
  }
}

function limitBody({ limit, period, timeZone }: UserAllowanceSetting) {
  return { limit: limit ?? "unlimited", ...(period && { period }), ...(timeZone && { timeZone }) };
}

/** Allowances as they may be sent; the reason goes with them. */
function boundBody({
  allowances,
  flow,
}: {
  allowances: Readonly<Record<string, AllowanceSetting>>;
  flow: object | null;
}) {
  const units = Object.entries(allowances).map(([unit, { limit, period, timeZone }]) => [
    unit,
    { limit: limit ?? "unlimited", period, timeZone },
  ]);
  return { allowances: Object.fromEntries(units) as object, ...flow, reason: REASON };
}

/** The command as a member of POST /v1/batch; null for what only has a route of its own. */
export function operationOf(command: Command): object | null {
  const { body, key } = requestOf(command);
  const keyed = { ...body, ...(key !== null && { idempotencyKey: key }) };
  switch (command.type) {
    case "createJob":
      return { op: "createJob", ...keyed };
    case "endJob":
      return { op: command.state === "closed" ? "closeJob" : "cancelJob", jobId: command.jobId };
    case "reserve":
      return { op: "reserve", jobId: command.jobId, ...keyed };
    case "charge":
      return { op: "charge", reservationId: command.reservationId, ...keyed };
    case "settle":
    case "release":
    case "extend":
      return { op: command.type, reservationId: command.reservationId, ...body };
    default:
      return null;
  }
}

/** The command that the rules are to decide: with the id that the server made, and the key bound as the server binds it. */
export function decidedOf<T extends Command>(command: T, { body }: Got): T {
  const { id = "none" } = body as { id?: string };
  const sent = requestOf(command);
  const request = { method: "POST", path: sent.path, body: sent.body } as const;
  const key = sent.key === null ? null : useOf(sent.key, sent.isAdmin ? "a" : "t", request);
  if (command.type === "createJob") return { ...command, jobId: id, key };
  if (command.type === "reserve") return { ...command, reservationId: id, key };
  if (command.type === "charge") return { ...command, key };
  if (command.type !== "configure") return command;
  const { change } = command;
  const isBound = change.change === "service" || (change.change === "share" && change.flow !== null);
  const reason = change.change === "adjust" || isBound ? REASON : null;
  return { ...command, key, actor: "operator", reason };
}

/** Why a request is refused before anything is decided. */
export function refusedBefore(command: Command): Outcome | null {
  if (command.type !== "createJob" || command.user === null || isUserName(command.user)) return null;
  const errors = [{ pointer: "/user", message: USER_RULE }];
  return { type: "refused", refusal: { code: "validation_failed", detail: `/user ${USER_RULE}.`, errors } };
}

/** An answer that shows what is set at a service is of no decision: what it shows is apart from what the rules answer. */
export function partsOf(command: Command, got: Got): { answer: Got; body: object } {
  if (got.status >= 300 || !setsAtService(command)) return { answer: got, body: got.body };
  const { updatedAt: _, ...body } = got.body as { updatedAt?: string };
  return { answer: { ...got, body: {} }, body };
}

function setsAtService(command: Command): boolean {
  return command.type === "configure" && ["service", "share"].includes(command.change.change);
}

/** The path of its request, by which a problem names it: without the query. */
export function instanceOf(command: Command): string {
  return requestOf(command).path.replace(/\?.*/, "");
}

/** What the outcome looks like to the client. */
export function gotOf(command: Command, outcome: Outcome, instance = instanceOf(command)): Got {
  if (outcome.type === "refused") return problemOf(outcome.refusal, instance);
  const creates = command.type === "reserve" ? !command.dryRun : ["createJob", "charge"].includes(command.type);
  const body = setsAtService(command) ? {} : (JSON.parse(JSON.stringify(outcome.answer)) as object);
  return { status: creates ? 201 : 200, replayed: outcome.replayed, body };
}

function problemOf({ code, detail, errors, denial }: Refusal, instance: string): Got {
  const { status, title, retryable } = PROBLEMS[code];
  const problem = { type: `/docs/errors#${code}`, title, status, detail, instance, code, retryable };
  const figures = denial && {
    code: denial.code,
    scope: denial.scope,
    unit: denial.unit,
    limit: denial.limit ?? "unlimited",
    spent: denial.spent,
    reserved: denial.reserved,
    available: denial.available,
    requested: denial.requested,
    ...(denial.maxChildren !== undefined && { maxChildren: denial.maxChildren }),
  };
  return { status, replayed: false, body: { ...problem, ...(errors && { errors }), ...figures } };
}

/** Another body, or the same at another path. */
export function otherUnderSameKey<T extends Command>(command: T, jobId: string | undefined): T {
  if (command.type === "createJob") return { ...command, name: "another" };
  if (command.type === "reserve" && jobId !== undefined) return { ...command, jobId };
  if (command.type === "charge") return { ...command, attempt: command.attempt + 1 };
  if (command.type === "reserve") return { ...command, ttlMs: command.ttlMs + 1 };
  if (command.type !== "configure" || command.change.change !== "adjust") return command;
  return { ...command, change: { ...command.change, delta: command.change.delta * 2 } };
}

/** A denial out of its place in an order is of figures that stood together at some time, and that refuse. */
export function expectCoherent({ body }: Got): void {
  const { limit, spent, reserved, available, requested } = body as Record<string, number | "unlimited">;
  const room = (limit === "unlimited" ? MAX_AMOUNT : Number(limit)) - Number(spent) - Number(reserved);
  expect(body).toMatchObject({ available: Math.max(0, room) });
  expect(Number(requested)).toBeGreaterThan(room);
  expect(Number(available)).toBeLessThanOrEqual(Number(requested));
}
