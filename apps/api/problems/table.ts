/** What a client needs to know about one kind of refusal. */
export interface ProblemKind {
  readonly status: number;
  /** The same for every occurrence. */
  readonly title: string;
  /** True where the same request, unchanged, may succeed later. */
  readonly retryable: boolean;
  /** A denial that no retry helps: SDKs are told by `x-should-retry: false`. */
  readonly terminal?: true;
}

/** Every code that the API answers with; `docs/errors.md` has an entry for each. */
export const PROBLEMS = {
  validation_failed: { status: 400, title: "The request is not valid", retryable: false },
  idempotency_key_missing: { status: 400, title: "An idempotency key is required", retryable: false },
  unauthenticated: { status: 401, title: "No valid key was sent", retryable: false },
  allowance_exhausted: { status: 402, title: "The allowance does not hold this now", retryable: false, terminal: true },
  exceeds_limit: { status: 402, title: "The allowance can never hold this", retryable: false, terminal: true },
  forbidden: { status: 403, title: "The key may not do this", retryable: false },
  tenant_suspended: { status: 403, title: "The tenant is suspended", retryable: false },
  not_found: { status: 404, title: "Not found", retryable: false },
  job_not_open: { status: 409, title: "The job is over", retryable: false },
  already_settled: { status: 409, title: "The reservation was settled", retryable: false },
  already_released: { status: 409, title: "The reservation was released", retryable: false },
  reservation_expired: { status: 409, title: "The reservation has expired", retryable: false },
  attempts_exhausted: { status: 409, title: "The plan holds no such attempt", retryable: false },
  conflict: { status: 409, title: "The present state does not allow this", retryable: false },
  idempotency_key_reused: { status: 422, title: "The idempotency key belongs to another request", retryable: false },
  unit_unknown: { status: 422, title: "The tenant has no allowance in this unit", retryable: false },
  service_unknown: { status: 422, title: "There is no such service", retryable: false },
  rate_limited: { status: 429, title: "The rate is used up now", retryable: true },
  concurrency_limited: { status: 429, title: "All places are taken now", retryable: true },
  retry_budget_exhausted: { status: 429, title: "The job retries too much", retryable: true },
  internal: { status: 500, title: "A fault of the service", retryable: true },
  ledger_unavailable: { status: 503, title: "The record cannot be reached", retryable: true },
  queue_full: { status: 503, title: "Too many wait already", retryable: true },
  breaker_open: { status: 503, title: "The service is failing", retryable: true },
  shutting_down: { status: 503, title: "This process is stopping", retryable: true },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

export function kindOf(code: ProblemCode): ProblemKind {
  return PROBLEMS[code];
}
