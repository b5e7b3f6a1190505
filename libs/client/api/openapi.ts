// Written by npm run client:types from openapi.json; not to be edited.

export interface components {
  schemas: {
    WouldDenyView: {
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
      limit: number | "unlimited";
      spent: number;
      reserved: number;
      available: number;
      requested: number;
      /** @description For a plan: the largest number of children that would fit now. */
      maxChildren?: number;
      /** @enum {string} */
      code: "allowance_exhausted" | "exceeds_limit";
    };
    JobView: {
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      id: string;
      /** @enum {string} */
      state: "open" | "closed" | "cancelled";
      user?: string;
      name?: string;
      /**
       * @example {
       *       "team": "search"
       *     }
       */
      labels: {
        [key: string]: string;
      };
      /**
       * @description The limits of this job; a unit that is not named is bound by the other scopes only, and of a child job it is nothing.
       * @example {
       *       "tokens": 400
       *     }
       */
      allowance: {
        [key: string]: number;
      };
      /**
       * @description Of a child job.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      parentJobId?: string;
      /**
       * @description What was carved out of the parent's allowance for it; of a child job.
       * @example {
       *       "tokens": 400
       *     }
       */
      grant?: {
        [key: string]: number;
      };
      /** @description 1 is a job without a parent. */
      depth: number;
      /** @description Of a child job: why its grant would have been denied. */
      wouldDeny?: components["schemas"]["WouldDenyView"];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      closedAt?: string;
    };
    FieldErrorView: {
      /**
       * @description JSON pointer (RFC 6901) into the request; empty for the whole body.
       * @example /plan/children
       */
      pointer: string;
      /** @example must be an integer from 1 to 9007199254740991 */
      message: string;
    };
    ProblemView: {
      /**
       * Format: uri-reference
       * @example /docs/errors#validation_failed
       */
      type: string;
      /** @description The same for every occurrence of the code. */
      title: string;
      status: number;
      /** @description One sentence for a person. */
      detail: string;
      /**
       * Format: uri-reference
       * @description The path of the request.
       */
      instance: string;
      /** @enum {string} */
      code:
        | "validation_failed"
        | "idempotency_key_missing"
        | "unauthenticated"
        | "allowance_exhausted"
        | "exceeds_limit"
        | "forbidden"
        | "tenant_suspended"
        | "not_found"
        | "job_not_open"
        | "already_settled"
        | "already_released"
        | "reservation_expired"
        | "attempts_exhausted"
        | "conflict"
        | "idempotency_key_reused"
        | "unit_unknown"
        | "service_unknown"
        | "rate_limited"
        | "concurrency_limited"
        | "retry_budget_exhausted"
        | "internal"
        | "ledger_unavailable"
        | "queue_full"
        | "breaker_open"
        | "shutting_down";
      /** @description True where the same request, unchanged, may succeed later. */
      retryable: boolean;
      /** @description Whole seconds to wait; the same as the header Retry-After. */
      retryAfter?: number;
      errors?: components["schemas"]["FieldErrorView"][];
    };
    DenialProblemView: {
      /**
       * Format: uri-reference
       * @example /docs/errors#validation_failed
       */
      type: string;
      /** @description The same for every occurrence of the code. */
      title: string;
      status: number;
      /** @description One sentence for a person. */
      detail: string;
      /**
       * Format: uri-reference
       * @description The path of the request.
       */
      instance: string;
      /** @enum {string} */
      code:
        | "validation_failed"
        | "idempotency_key_missing"
        | "unauthenticated"
        | "allowance_exhausted"
        | "exceeds_limit"
        | "forbidden"
        | "tenant_suspended"
        | "not_found"
        | "job_not_open"
        | "already_settled"
        | "already_released"
        | "reservation_expired"
        | "attempts_exhausted"
        | "conflict"
        | "idempotency_key_reused"
        | "unit_unknown"
        | "service_unknown"
        | "rate_limited"
        | "concurrency_limited"
        | "retry_budget_exhausted"
        | "internal"
        | "ledger_unavailable"
        | "queue_full"
        | "breaker_open"
        | "shutting_down";
      /** @description True where the same request, unchanged, may succeed later. */
      retryable: boolean;
      /** @description Whole seconds to wait; the same as the header Retry-After. */
      retryAfter?: number;
      errors?: components["schemas"]["FieldErrorView"][];
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
      limit: number | "unlimited";
      spent: number;
      reserved: number;
      available: number;
      requested: number;
      /** @description For a plan: the largest number of children that would fit now. */
      maxChildren?: number;
    };
    ShedProblemView: {
      /**
       * Format: uri-reference
       * @example /docs/errors#validation_failed
       */
      type: string;
      /** @description The same for every occurrence of the code. */
      title: string;
      status: number;
      /** @description One sentence for a person. */
      detail: string;
      /**
       * Format: uri-reference
       * @description The path of the request.
       */
      instance: string;
      /** @enum {string} */
      code:
        | "validation_failed"
        | "idempotency_key_missing"
        | "unauthenticated"
        | "allowance_exhausted"
        | "exceeds_limit"
        | "forbidden"
        | "tenant_suspended"
        | "not_found"
        | "job_not_open"
        | "already_settled"
        | "already_released"
        | "reservation_expired"
        | "attempts_exhausted"
        | "conflict"
        | "idempotency_key_reused"
        | "unit_unknown"
        | "service_unknown"
        | "rate_limited"
        | "concurrency_limited"
        | "retry_budget_exhausted"
        | "internal"
        | "ledger_unavailable"
        | "queue_full"
        | "breaker_open"
        | "shutting_down";
      /** @description True where the same request, unchanged, may succeed later. */
      retryable: boolean;
      /** @description Whole seconds to wait; the same as the header Retry-After. */
      retryAfter?: number;
      errors?: components["schemas"]["FieldErrorView"][];
      /** @description What refused: `tenant` is the tenant at the service. */
      scope: {
        /** @enum {string} */
        kind?: "service" | "tenant" | "job" | "reservation";
        id?: string;
      };
    };
    CreateJobBody: {
      /** @description The end user that this is for, by the tenant's own name. */
      user?: string;
      name?: string;
      /**
       * @example {
       *       "team": "search"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /** @description Limits of this job, at most the tenant's job allowance. */
      allowance?: {
        [key: string]: number;
      };
      /**
       * @description The open job that this is a child of; its user is the child's too.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      parentJobId?: string;
      /** @description What the child may spend, held at the parent at once; of units that are not named it may spend nothing. */
      grant?: {
        [key: string]: number;
      };
    };
    BalanceView: {
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /**
       * @description `none`, or `<period>@<start>`: the period window that this counts in.
       * @example day@2026-01-31T00:00:00.000Z
       */
      window: string;
      /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
      limit: number | "unlimited";
      /** @description Held by open reservations. */
      reserved: number;
      /** @description Settled. */
      spent: number;
      /** @description max(0, limit − reserved − spent) */
      available: number;
      /** @description max(0, spent + reserved − limit) */
      overage: number;
    };
    EndedByView: {
      actor: string;
      reason?: string;
    };
    ReservationCounts: {
      open: number;
      settled: number;
      released: number;
      expired: number;
    };
    JobDetailView: {
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      id: string;
      /** @enum {string} */
      state: "open" | "closed" | "cancelled";
      user?: string;
      name?: string;
      /**
       * @example {
       *       "team": "search"
       *     }
       */
      labels: {
        [key: string]: string;
      };
      /**
       * @description The limits of this job; a unit that is not named is bound by the other scopes only, and of a child job it is nothing.
       * @example {
       *       "tokens": 400
       *     }
       */
      allowance: {
        [key: string]: number;
      };
      /**
       * @description Of a child job.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      parentJobId?: string;
      /**
       * @description What was carved out of the parent's allowance for it; of a child job.
       * @example {
       *       "tokens": 400
       *     }
       */
      grant?: {
        [key: string]: number;
      };
      /** @description 1 is a job without a parent. */
      depth: number;
      /** @description Of a child job: why its grant would have been denied. */
      wouldDeny?: components["schemas"]["WouldDenyView"];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      closedAt?: string;
      /** @description What was taken of each limit, and of each unit that was used. */
      balances: components["schemas"]["BalanceView"][];
      /** @description Its own child jobs, counted up to 100000. */
      children: number;
      /** @description Of a job that the operator cancelled itself: who, and why. */
      endedBy?: components["schemas"]["EndedByView"];
      /** @description Of the newest 100000 reservations. */
      reservations: components["schemas"]["ReservationCounts"];
    };
    NoFields: Record<string, never>;
    PlanView: {
      children: number;
      /** @description Counts the first try. */
      attempts: number;
      /**
       * @example {
       *       "tokens": 400
       *     }
       */
      attemptCost: {
        [key: string]: number;
      };
      admittedChildren: number;
    };
    DryRunView: {
      /** @constant */
      dryRun: true;
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      jobId: string;
      service?: string;
      /**
       * @example {
       *       "tokens": 400
       *     }
       */
      reserved: {
        [key: string]: number;
      };
      plan?: components["schemas"]["PlanView"];
      wouldDeny?: components["schemas"]["WouldDenyView"];
    };
    ReservationView: {
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      id: string;
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      jobId: string;
      /** @description The service that it is for, whose allowances hold it too. */
      service?: string;
      /** @enum {string} */
      state: "open" | "settled" | "released" | "expired";
      /**
       * @description What was taken when it was admitted.
       * @example {
       *       "tokens": 400
       *     }
       */
      reserved: {
        [key: string]: number;
      };
      /**
       * @description What it still holds: nothing once it is not open.
       * @example {
       *       "tokens": 400
       *     }
       */
      held: {
        [key: string]: number;
      };
      /**
       * @description The sum of its charges.
       * @example {
       *       "tokens": 400
       *     }
       */
      charged: {
        [key: string]: number;
      };
      plan?: components["schemas"]["PlanView"];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      expiresAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      closedAt?: string;
      /**
       * @description What was really used besides the charges; once settled.
       * @example {
       *       "tokens": 400
       *     }
       */
      actual?: {
        [key: string]: number;
      };
      /**
       * @description max(0, reserved − charged − actual); once settled.
       * @example {
       *       "tokens": 400
       *     }
       */
      released?: {
        [key: string]: number;
      };
      /**
       * @description max(0, charged + actual − reserved); once settled.
       * @example {
       *       "tokens": 400
       *     }
       */
      overage?: {
        [key: string]: number;
      };
      /** @description True where it was settled after its deadline; once settled. */
      late?: boolean;
      wouldDeny?: components["schemas"]["WouldDenyView"];
    };
    PlanBody: {
      /** @example 3 */
      children: number;
      /**
       * @description Counts the first try: 2 is one try and one retry.
       * @example 2
       */
      attempts: number;
      /**
       * @example {
       *       "tokens": 20
       *     }
       */
      attemptCost: {
        [key: string]: number;
      };
    };
    ReserveBody: {
      plan?: components["schemas"]["PlanBody"];
      amounts?: {
        [key: string]: number;
      };
      /** @description Milliseconds until it expires; 60000 by default. */
      ttlMs?: number;
      /**
       * @description `partial` admits as many children of the plan as fit.
       * @enum {string}
       */
      admit?: "all" | "partial";
      /** @description Decides and changes nothing. */
      dryRun?: boolean;
      /** @description The service that the work calls: its allowances bind the work too, over all tenants. */
      service?: string;
    };
    SettleBody: {
      /** @description What was really used besides the charges, in every unit that was reserved. */
      actual: {
        [key: string]: number;
      };
    };
    ExtendBody: {
      /** @description The deadline becomes now and so many milliseconds, never earlier than it was. */
      ttlMs: number;
    };
    AttemptView: {
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
      child: number;
      attempt: number;
      /** @enum {string} */
      outcome: "succeeded" | "failed";
      /**
       * @description What it really used.
       * @example {
       *       "tokens": 400
       *     }
       */
      actual: {
        [key: string]: number;
      };
      /**
       * @description What came back: held for it and not used, and, where it succeeded, held for attempts that its child does not need.
       * @example {
       *       "tokens": 400
       *     }
       */
      released: {
        [key: string]: number;
      };
      /**
       * @description What it used beyond what came out of the hold.
       * @example {
       *       "tokens": 400
       *     }
       */
      overage: {
        [key: string]: number;
      };
      /** @description True where it was charged after the deadline. */
      late: boolean;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      at: string;
    };
    ChargeBody: {
      /**
       * @description Which child, from 1 on.
       * @example 1
       */
      child: number;
      /**
       * @description Which of its attempts; 1 is the first try.
       * @example 1
       */
      attempt: number;
      /**
       * @description `succeeded` gives back what is held for the child's unused attempts.
       * @enum {string}
       */
      outcome: "succeeded" | "failed";
      /** @description What the attempt really used, in every unit that was reserved. */
      actual: {
        [key: string]: number;
      };
    };
    PermitView: {
      /** @description Names the permit in any process; keep it as it is. */
      id: string;
      /** @description Without a heartbeat within so long it ends by itself. */
      leaseMs: number;
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
      child: number;
      /** @description Which attempt of the child it starts; 1 is the first try. */
      attempt: number;
    };
    PermitBody: {
      /**
       * @description Which child, from 1 on.
       * @example 1
       */
      child: number;
      /** @description The service that the attempt calls: by default that of the reservation, which it must be. Without either only the plan and the job's retries bind. */
      service?: string;
      /** @description Tokens of the service's rate: 1, as by default, for a call, or so many estimated model tokens. */
      cost?: number;
      /** @description Longest wait for the permit, at most the queue's `maxWaitMs`. By default none. */
      waitMs?: number;
    };
    LeaseView: {
      /** @description Names the permit in any process; keep it as it is. */
      id: string;
      /** @description Without a heartbeat within so long it ends by itself. */
      leaseMs: number;
    };
    FinishedView: {
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
      child: number;
      attempt: number;
      /** @enum {string} */
      outcome: "succeeded" | "failed";
      /**
       * @description What it really used.
       * @example {
       *       "tokens": 400
       *     }
       */
      actual: {
        [key: string]: number;
      };
      /**
       * @description What came back: held for it and not used, and, where it succeeded, held for attempts that its child does not need.
       * @example {
       *       "tokens": 400
       *     }
       */
      released: {
        [key: string]: number;
      };
      /**
       * @description What it used beyond what came out of the hold.
       * @example {
       *       "tokens": 400
       *     }
       */
      overage: {
        [key: string]: number;
      };
      /** @description True where it was charged after the deadline. */
      late: boolean;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      at: string;
      id: string;
    };
    FinishBody: {
      /**
       * @description `failed`: a fault of the service. `overloaded`: it did not keep up (a time-out, 429, 503). `rejected`: the caller's own fault (another 4xx). `cancelled`: by its own wish. The latter two say nothing of the service.
       * @enum {string}
       */
      outcome: "succeeded" | "failed" | "overloaded" | "rejected" | "cancelled";
      /** @description What the attempt really used, in every unit that was reserved. */
      actual: {
        [key: string]: number;
      };
    };
    ReserveOperation: {
      plan?: components["schemas"]["PlanBody"];
      amounts?: {
        [key: string]: number;
      };
      /** @description Milliseconds until it expires; 60000 by default. */
      ttlMs?: number;
      /**
       * @description `partial` admits as many children of the plan as fit.
       * @enum {string}
       */
      admit?: "all" | "partial";
      /** @description Decides and changes nothing. */
      dryRun?: boolean;
      /** @description The service that the work calls: its allowances bind the work too, over all tenants. */
      service?: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "reserve";
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      jobId: string;
      /** @description What the route takes as Idempotency-Key. */
      idempotencyKey?: string;
    };
    SettleOperation: {
      /** @description What was really used besides the charges, in every unit that was reserved. */
      actual: {
        [key: string]: number;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "settle";
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
    };
    ChargeOperation: {
      /**
       * @description Which child, from 1 on.
       * @example 1
       */
      child: number;
      /**
       * @description Which of its attempts; 1 is the first try.
       * @example 1
       */
      attempt: number;
      /**
       * @description `succeeded` gives back what is held for the child's unused attempts.
       * @enum {string}
       */
      outcome: "succeeded" | "failed";
      /** @description What the attempt really used, in every unit that was reserved. */
      actual: {
        [key: string]: number;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "charge";
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
      /** @description What the route takes as Idempotency-Key. */
      idempotencyKey?: string;
    };
    ReleaseOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "release";
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
    };
    ExtendOperation: {
      /** @description The deadline becomes now and so many milliseconds, never earlier than it was. */
      ttlMs: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "extend";
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId: string;
    };
    CreateJobOperation: {
      /** @description The end user that this is for, by the tenant's own name. */
      user?: string;
      name?: string;
      /**
       * @example {
       *       "team": "search"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /** @description Limits of this job, at most the tenant's job allowance. */
      allowance?: {
        [key: string]: number;
      };
      /**
       * @description The open job that this is a child of; its user is the child's too.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      parentJobId?: string;
      /** @description What the child may spend, held at the parent at once; of units that are not named it may spend nothing. */
      grant?: {
        [key: string]: number;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "createJob";
      /** @description What the route takes as Idempotency-Key. */
      idempotencyKey?: string;
    };
    CloseJobOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "closeJob";
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      jobId: string;
    };
    CancelJobOperation: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      op: "cancelJob";
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      jobId: string;
    };
    OperationResult: {
      /** @description The status that the operation's own route would answer with. */
      status: number;
      /** @description The body that the operation's own route would answer with. */
      body: Record<string, never>;
      /**
       * @description Where this is the first answer to the same request again.
       * @constant
       */
      replayed?: true;
    };
    BatchView: {
      /** @description One for each operation, in their order. */
      results: components["schemas"]["OperationResult"][];
    };
    BatchBody: {
      operations: (
        | components["schemas"]["ReserveOperation"]
        | components["schemas"]["SettleOperation"]
        | components["schemas"]["ChargeOperation"]
        | components["schemas"]["ReleaseOperation"]
        | components["schemas"]["ExtendOperation"]
        | components["schemas"]["CreateJobOperation"]
        | components["schemas"]["CloseJobOperation"]
        | components["schemas"]["CancelJobOperation"]
      )[];
    };
    EntryView: {
      /** @description Sequence number, as text: entries of a tenant are in the order in which they were committed. */
      id: string;
      /** @enum {string} */
      type: "reserve" | "charge" | "settle" | "release" | "expire" | "grant" | "return" | "limit" | "settings";
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      at: string;
      /**
       * @description Of every type but `settings`.
       * @example tokens
       */
      unit?: string;
      /** @description Added to what is held; negative when given back. */
      reserved: number;
      /** @description Added to what is spent. */
      spent: number;
      scopes: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
        /**
         * @description `none`, or `<period>@<start>`: the period window that this counts in.
         * @example day@2026-01-31T00:00:00.000Z
         */
        window: string;
      }[];
      /** @example rsv_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      reservationId?: string;
      /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      jobId?: string;
      user?: string;
      /** @description Of what came after the deadline: that it was late. Of a charge: of which attempt of which child. In the ledger of a service: whose work it was. Of a grant that was taken from a job, or came back to it: which child job's. Of a change of a limit: who changed it, from what, to what, why; of `settings`, the same of all else that bounds calls to a service, as it was given: without `before` nothing was set, without `after` nothing is. */
      detail?: {
        /** @constant */
        late?: true;
        child?: number;
        attempt?: number;
        /** @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
        tenantId?: string;
        /** @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
        childJobId?: string;
        scope?: {
          /** @enum {string} */
          kind: "service" | "tenant" | "user" | "job";
          id: string;
          /**
           * @description Of a service: the tenant whose share of it this is.
           * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
           */
          tenantId?: string;
        };
        /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
        from?: number | "unlimited";
        /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
        to?: number | "unlimited";
        service?: string;
        before?: {
          [key: string]: unknown;
        };
        after?: {
          [key: string]: unknown;
        };
        actor?: string;
        reason?: string;
      };
    };
    LastDenialView: {
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
      limit: number | "unlimited";
      spent: number;
      reserved: number;
      available: number;
      requested: number;
      /** @description For a plan: the largest number of children that would fit now. */
      maxChildren?: number;
      /**
       * @description The job that asked; of a grant, the one that was to give it.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      jobId: string;
      user?: string;
      /** @description One of: a reservation by its plan, or by its amounts, or the grant of a child job. */
      asked: {
        plan?: {
          children: number;
          attempts: number;
          /**
           * @example {
           *       "tokens": 400
           *     }
           */
          attemptCost: {
            [key: string]: number;
          };
        };
        /**
         * @example {
         *       "tokens": 400
         *     }
         */
        amounts?: {
          [key: string]: number;
        };
        /**
         * @example {
         *       "tokens": 400
         *     }
         */
        grant?: {
          [key: string]: number;
        };
      };
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      at: string;
      /**
       * @description What it was decided on: the record itself, or copies of what the record said at most two seconds before.
       * @enum {string}
       */
      decidedOn: "record" | "copies";
    };
    DenialView: {
      /** @example dny_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      id: string;
      /** @enum {string} */
      code: "allowance_exhausted" | "exceeds_limit";
      /** @description True where nothing was denied, since the tenant only observes. */
      observed: boolean;
      /** @description What decided; an `id` of null is several scopes that are counted together. */
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string | null;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /**
       * @description The job that asked; left out where several are counted together.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      jobId?: string;
      /** @description The service that the work was for. */
      service?: string;
      count: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      firstAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      lastAt: string;
      last: components["schemas"]["LastDenialView"];
    };
    BoundView: {
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /**
       * @description `none`, or `<period>@<start>`: the period window that this counts in.
       * @example day@2026-01-31T00:00:00.000Z
       */
      window: string;
      /** @description An integer, or the word "unlimited". 0 means that nothing may be spent. */
      limit: number | "unlimited";
      /** @description Held by open reservations. */
      reserved: number;
      /** @description Settled. */
      spent: number;
      /** @description max(0, limit − reserved − spent) */
      available: number;
      /** @description max(0, spent + reserved − limit) */
      overage: number;
      /** @description What was asked of it. */
      requested: number;
      /** @description Whether this scope alone would have let it through. */
      fits: boolean;
      /** @description True of the one that decided. */
      decided: boolean;
      /**
       * Format: date-time
       * @description When the record showed these figures.
       * @example 2026-01-31T09:30:00.000Z
       */
      at: string;
      /** @description Its last movements before the denial, newest first, at most 20. */
      movements: components["schemas"]["EntryView"][];
    };
    DenialDetailView: {
      /** @example dny_01KE3A2Z8M4N5P6Q7R8S9T0V1W */
      id: string;
      /** @enum {string} */
      code: "allowance_exhausted" | "exceeds_limit";
      /** @description True where nothing was denied, since the tenant only observes. */
      observed: boolean;
      /** @description What decided; an `id` of null is several scopes that are counted together. */
      scope: {
        /** @enum {string} */
        kind: "service" | "tenant" | "user" | "job";
        id: string | null;
        /**
         * @description Of a service: the tenant whose share of it this is.
         * @example ten_01KE3A2Z8M4N5P6Q7R8S9T0V1W
         */
        tenantId?: string;
      };
      /** @example tokens */
      unit: string;
      /**
       * @description The job that asked; left out where several are counted together.
       * @example job_01KE3A2Z8M4N5P6Q7R8S9T0V1W
       */
      jobId?: string;
      /** @description The service that the work was for. */
      service?: string;
      count: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      firstAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      lastAt: string;
      last: components["schemas"]["LastDenialView"];
      /** @description Narrowest scope first. */
      scopes: components["schemas"]["BoundView"][];
      /** @description What would have fitted: of a plan, so many children with all their attempts, or so many attempts with all children; of amounts or a grant, so much of each unit. */
      wouldFit: {
        children?: number;
        attempts?: number;
        /**
         * @example {
         *       "tokens": 400
         *     }
         */
        amounts?: {
          [key: string]: number;
        };
      };
      /**
       * Format: date-time
       * @description Where a search for movements stopped before the beginning of the ledger: how far back it went.
       * @example 2026-01-31T09:30:00.000Z
       */
      movementsSince?: string;
    };
    WebhookView: {
      /** @example billing */
      name: string;
      /** Format: uri */
      url: string;
      events: ("allowance.threshold" | "allowance.denied" | "breaker.changed" | "audit.drift")[];
      enabled: boolean;
      /**
       * Format: date-time
       * @description Until then the secret before the last rotation signs as well.
       * @example 2026-01-31T09:30:00.000Z
       */
      oldSecretUntil?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updatedAt: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  "jobs.list": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        state?: "open" | "closed" | "cancelled";
        user?: string;
        parentJobId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List jobs, newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["JobView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "jobs.create": {
    parameters: {
      query?: never;
      header: {
        /** @description Names this request: sent again, it has no second effect and the same answer. */
        "Idempotency-Key": string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateJobBody"];
      };
    };
    responses: {
      /** @description Make a job: the identity that binds all work of one piece of incoming work */
      201: {
        headers: {
          /** @description `true` where this is the first answer to the same request again. */
          "Idempotency-Replayed"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobView"];
        };
      };
    };
  };
  "jobs.detail": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A job, what was taken of its limits, and how its reservations stand */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobDetailView"];
        };
      };
    };
  };
  "jobs.children": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the child jobs of a job, newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["JobView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "jobs.close": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoFields"];
      };
    };
    responses: {
      /** @description Close a job and all below it: nothing new is admitted; what they hold may settle */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobView"];
        };
      };
    };
  };
  "jobs.cancel": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoFields"];
      };
    };
    responses: {
      /** @description Cancel a job and all below it: nothing new is admitted; running attempts may settle */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobView"];
        };
      };
    };
  };
  "jobReservations.list": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the reservations of a job, newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["ReservationView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "jobReservations.reserve": {
    parameters: {
      query?: never;
      header?: {
        /** @description Names this request: sent again, it has no second effect and the same answer. Required unless `dryRun`. */
        "Idempotency-Key"?: string;
      };
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReserveBody"];
      };
    };
    responses: {
      /** @description A dry run that would be admitted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DryRunView"];
        };
      };
      /** @description Reserve planned cost: all of it at every scope and in every unit, or nothing */
      201: {
        headers: {
          /** @description `true` where this is the first answer to the same request again. */
          "Idempotency-Replayed"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservationView"];
        };
      };
    };
  };
  "reservations.detail": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A reservation */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservationView"];
        };
      };
    };
  };
  "reservations.settle": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SettleBody"];
      };
    };
    responses: {
      /** @description Close a reservation with what was really used besides its charges */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservationView"];
        };
      };
    };
  };
  "reservations.release": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoFields"];
      };
    };
    responses: {
      /** @description Close a reservation without more: what it still holds is given back */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservationView"];
        };
      };
    };
  };
  "reservations.extend": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ExtendBody"];
      };
    };
    responses: {
      /** @description Move the deadline of a reservation to now and ttlMs, never earlier than it was */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservationView"];
        };
      };
    };
  };
  "charges.charge": {
    parameters: {
      query?: never;
      header: {
        /** @description Names this request: sent again, it has no second effect and the same answer. */
        "Idempotency-Key": string;
      };
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChargeBody"];
      };
    };
    responses: {
      /** @description Charge one attempt of one child to a reservation */
      201: {
        headers: {
          /** @description `true` where this is the first answer to the same request again. */
          "Idempotency-Replayed"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AttemptView"];
        };
      };
    };
  };
  "charges.attempts": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List what was charged, by child and attempt */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["AttemptView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "reservationPermits.start": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        reservationId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PermitBody"];
      };
    };
    responses: {
      /** @description Start one attempt of one child */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PermitView"];
        };
      };
    };
  };
  "permits.heartbeat": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        permitId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoFields"];
      };
    };
    responses: {
      /** @description Keep a permit for another lease */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LeaseView"];
        };
      };
    };
  };
  "permits.finish": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        permitId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FinishBody"];
      };
    };
    responses: {
      /** @description End an attempt: charge what it used, and free its place */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FinishedView"];
        };
      };
    };
  };
  "batch.run": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BatchBody"];
      };
    };
    responses: {
      /** @description Run up to 1000 operations, each decided on its own */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BatchView"];
        };
      };
    };
  };
  "balances.list": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description Whose balances: `tenant`, `user:<name>`, `job:<id>` or, of what the tenant may take at a service, `service:<name>`. */
        scope?: string;
        /** @description `current` (the default) answers what binds now, on one page; `all` also what earlier windows came to. */
        windows?: "current" | "all";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What was taken of the limits of the tenant, a user, a job or the tenant's share of a service */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["BalanceView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "ledger.list": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        jobId?: string;
        reservationId?: string;
        user?: string;
        unit?: string;
        type?: "reserve" | "charge" | "settle" | "release" | "expire" | "grant" | "return" | "limit" | "settings";
        /** @description Which come first; `oldest` by default. A cursor belongs to one order. */
        order?: "oldest" | "newest";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Every entry that changed a balance, or what is set for the tenant at a service, oldest first unless asked otherwise */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["EntryView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "denials.list": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description The kind of the scope that decided. */
        kind?: "service" | "tenant" | "user" | "job";
        unit?: string;
        /** @description The job that asked. */
        jobId?: string;
        code?: "allowance_exhausted" | "exceeds_limit";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What was denied, newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["DenialView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
  "denials.detail": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        denialId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Why something was denied: every scope, its figures at that moment, and its last movements */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DenialDetailView"];
        };
      };
    };
  };
  "events.stream": {
    parameters: {
      query?: never;
      header?: {
        /** @description The `id` of the last event that was seen; one that is not known is as good as none. */
        "Last-Event-ID"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What changes at the tenant, as server-sent events */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": string;
        };
      };
    };
  };
  "ownWebhooks.list": {
    parameters: {
      query?: {
        /** @description The most rows of one page. */
        limit?: number;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the tenant's webhooks, which the operator sets */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["WebhookView"][];
            /** @description null on the last page. */
            nextCursor: string | null;
          };
        };
      };
    };
  };
}
