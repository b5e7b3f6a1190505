import type { Body } from "../support/http.js";
import type { Tenant } from "./tenants.js";

export type OperationKind =
  | "createJob"
  | "closeJob"
  | "cancelJob"
  | "reserve"
  | "settle"
  | "release"
  | "extend"
  | "charge"
  | "setLimit"
  | "setUserLimit"
  | "setServiceLimit"
  | "adjust"
  | "suspend"
  | "resume";

export interface Request {
  readonly kind: OperationKind;
  readonly tenant: Tenant;
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
  /** The idempotency key; null for what is idempotent by nature. */
  readonly key: string | null;
  /** The same as an operation of a batch; without it there is none. */
  readonly inBatch?: object;
  /** With the operator's key. */
  readonly admin?: true;
}

export interface Answered {
  readonly status: number;
  readonly body: Body;
  readonly replayed: boolean;
}

/** What came back, or `unknown`: no answer, so it may have taken effect or may yet. */
export type Reply = Answered | "unknown";

/** A request as it went: a line of the clients' log. Times are milliseconds of the clients' own monotonic clock. */
export interface Logged extends Request {
  readonly sentAt: number;
  answeredAt: number;
  /** Every answer, in the order in which they came. */
  readonly replies: Reply[];
}

/** Every answer that came. */
export function answersTo({ replies }: Logged): Answered[] {
  return replies.filter((reply) => reply !== "unknown");
}

/** Whether it acknowledges what was asked. */
export function isDone({ status }: Answered): boolean {
  return status === 200 || status === 201;
}

export function acknowledged(operation: Logged): Answered[] {
  return answersTo(operation).filter(isDone);
}

/** Whether nothing is known yet, so that it is to be asked again. */
export function isOpen(operation: Logged): boolean {
  return answersTo(operation).every(({ status }) => status === 503);
}
