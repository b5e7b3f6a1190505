import type { DenialProblem, FieldError, Problem, ShedProblem } from "../api/types.js";

/** Everything that this package throws by itself. The reason of an aborted signal is thrown as it is. */
export class HoldfastError extends Error {
  override name = this.constructor.name;
}

/** How a request went that was refused or got no answer. */
export interface Attempted {
  /** Times that it was sent. */
  readonly tries: number;
  /** The key that it had: sent again with it, it takes effect once. Absent on routes that need none. */
  readonly idempotencyKey?: string | undefined;
}

/** The service cannot be reached, or gave no whole answer in time. Whether the request took effect is not known. */
export class ConnectionFailed extends HoldfastError {
  readonly tries: number;
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    { tries, idempotencyKey }: Attempted,
    /** No answer came within the time for one try. */
    readonly timedOut: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
    this.tries = tries;
    this.idempotencyKey = idempotencyKey;
  }
}

/** An answer that Holdfast does not give, such as a gateway's own page. */
export class UnexpectedAnswer extends HoldfastError {
  constructor(
    readonly status: number,
    /** The beginning of what came. */
    readonly text: string,
    readonly tries: number,
    /** Milliseconds that it asked to wait; null where it did not, or not in a way that makes sense. */
    readonly retryAfterMs: number | null,
  ) {
    super(`answered ${status} without a problem: ${text}`);
  }
}

/** A refusal by the service, with the fields of its problem (RFC 9457). Of a code that is newer than this package, this class itself. */
export class ProblemError<P extends Problem = Problem> extends HoldfastError {
  readonly code: P["code"];
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The path of the request. */
  readonly instance: string;
  /** The same request, unchanged, may succeed later. */
  readonly retryable: boolean;
  readonly tries: number;
  readonly idempotencyKey: string | undefined;

  constructor(
    readonly problem: P,
    { tries, idempotencyKey }: Attempted,
    /** Milliseconds that the service asked to wait; null where it did not, or not in a way that makes sense. */
    readonly retryAfterMs: number | null,
  ) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.instance = problem.instance;
    this.retryable = problem.retryable;
    this.tries = tries;
    this.idempotencyKey = idempotencyKey;
  }
}

/** For lack of allowance (402): terminal, asked once. The figures are those of the allowance that refused. */
export class Denied extends ProblemError<DenialProblem> {
  readonly scope = this.problem.scope;
  readonly unit = this.problem.unit;
  readonly limit = this.problem.limit;
  readonly spent = this.problem.spent;
  readonly reserved = this.problem.reserved;
  readonly available = this.problem.available;
  readonly requested = this.problem.requested;
  /** For a plan: the largest number of children that would fit now. */
  readonly maxChildren = this.problem.maxChildren;
}
/** It does not fit now. */
export class AllowanceExhausted extends Denied {}
/** It is more than the limit itself, so it never fits. */
export class ExceedsLimit extends Denied {}

/** For lack of capacity (429, 503): after a while it may pass. */
export class Shed extends ProblemError<ShedProblem> {
  /** What refused; `tenant` is the tenant at the service. */
  readonly scope = this.problem.scope;
}
export class RateLimited extends Shed {}
export class ConcurrencyLimited extends Shed {}
/** The job has started as many retries as its first attempts allow. */
export class RetryBudgetExhausted extends Shed {}
export class QueueFull extends Shed {}
/** The service failed too often: for a while nothing is let through. */
export class BreakerOpen extends Shed {}

/** Holdfast itself is not well. */
export class Unavailable extends ProblemError {}
export class LedgerUnavailable extends Unavailable {}
export class ShuttingDown extends Unavailable {}
export class InternalFault extends Unavailable {}

/** The request cannot be understood. */
export class InvalidRequest extends ProblemError {}
export class ValidationFailed extends InvalidRequest {
  /** Each field that is not valid. */
  readonly errors: readonly FieldError[] = this.problem.errors ?? [];
}
export class IdempotencyKeyMissing extends InvalidRequest {}
export class IdempotencyKeyReused extends InvalidRequest {}
export class UnitUnknown extends InvalidRequest {}
export class ServiceUnknown extends InvalidRequest {}

/** The key does not open this. */
export class AccessRefused extends ProblemError {}
export class Unauthenticated extends AccessRefused {}
export class Forbidden extends AccessRefused {}
export class TenantSuspended extends AccessRefused {}
export class NotFound extends AccessRefused {}

/** The present state does not allow it (409). */
export class StateRefused extends ProblemError {}
export class JobNotOpen extends StateRefused {}
export class AlreadySettled extends StateRefused {}
export class AlreadyReleased extends StateRefused {}
export class ReservationExpired extends StateRefused {}
export class AttemptsExhausted extends StateRefused {}
export class Conflict extends StateRefused {}
