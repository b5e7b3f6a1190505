import type { Problem, ProblemCode } from "../api/types.js";
import * as errors from "./errors.js";

type ErrorClass = new (
  problem: never,
  attempted: errors.Attempted,
  retryAfterMs: number | null,
) => errors.ProblemError<Problem>;

/** The class of each code; the compiler sees to it that none is missing. */
export const ERRORS: Readonly<Record<ProblemCode, ErrorClass>> = {
  validation_failed: errors.ValidationFailed,
  idempotency_key_missing: errors.IdempotencyKeyMissing,
  unauthenticated: errors.Unauthenticated,
  allowance_exhausted: errors.AllowanceExhausted,
  exceeds_limit: errors.ExceedsLimit,
  forbidden: errors.Forbidden,
  tenant_suspended: errors.TenantSuspended,
  not_found: errors.NotFound,
  job_not_open: errors.JobNotOpen,
  already_settled: errors.AlreadySettled,
  already_released: errors.AlreadyReleased,
  reservation_expired: errors.ReservationExpired,
  attempts_exhausted: errors.AttemptsExhausted,
  conflict: errors.Conflict,
  idempotency_key_reused: errors.IdempotencyKeyReused,
  unit_unknown: errors.UnitUnknown,
  service_unknown: errors.ServiceUnknown,
  rate_limited: errors.RateLimited,
  concurrency_limited: errors.ConcurrencyLimited,
  retry_budget_exhausted: errors.RetryBudgetExhausted,
  internal: errors.InternalFault,
  ledger_unavailable: errors.LedgerUnavailable,
  queue_full: errors.QueueFull,
  breaker_open: errors.BreakerOpen,
  shutting_down: errors.ShuttingDown,
};

/** The error of a refusal. */
export function errorOf(
  problem: Problem,
  attempted: errors.Attempted,
  retryAfterMs: number | null,
): errors.ProblemError {
  const OfCode = Object.hasOwn(ERRORS, problem.code) ? ERRORS[problem.code] : undefined;
  return OfCode
    ? new OfCode(problem as never, attempted, retryAfterMs)
    : new errors.ProblemError(problem, attempted, retryAfterMs);
}

/** True where JSON is the body of a refusal. */
export function isProblem(json: unknown): json is Problem {
  if (typeof json !== "object" || json === null) return false;
  const { code, retryable, status } = json as Partial<Problem>;
  return typeof code === "string" && typeof retryable === "boolean" && typeof status === "number";
}
