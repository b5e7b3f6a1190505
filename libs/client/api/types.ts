import type { components, operations } from "./openapi.js";

type Schemas = components["schemas"];

/** Unit name → integer number of that unit, 0 … 2^53 − 1. */
export type Amounts = Readonly<Record<string, number>>;

/** Every operation that a tenant's key opens, by its name in openapi.json. */
export type OperationId = keyof operations;

type JsonOf<Content> = Content extends { content: { "application/json": infer Json } } ? Json : never;

/** The JSON body that an operation takes; `undefined` where it takes none. */
export type Body<Id extends OperationId> = operations[Id] extends { requestBody?: never }
  ? undefined
  : JsonOf<NonNullable<operations[Id]["requestBody"]>>;

/** The query that an operation takes. */
export type Query<Id extends OperationId> = NonNullable<operations[Id]["parameters"]["query"]>;

/** What an operation answers where it is done. */
export type Answer<Id extends OperationId> = {
  [Status in keyof operations[Id]["responses"]]: JsonOf<operations[Id]["responses"][Status]>;
}[keyof operations[Id]["responses"]];

/** One page of a list; `nextCursor` is null on the last one. */
export interface Page<Row> {
  readonly data: Row[];
  readonly nextCursor: string | null;
}

/** The code of a problem; see docs/errors.md. */
export type ProblemCode = Schemas["ProblemView"]["code"];
/** Body of every refusal, `application/problem+json`. */
export type Problem = Schemas["ProblemView"];
/** Body of a 402: which allowance refused, and its figures. */
export type DenialProblem = Schemas["DenialProblemView"];
/** Body of a refusal by flow control, and what refused. */
export type ShedProblem = Schemas["ShedProblemView"];
/** A field that is not valid: a JSON pointer into the request, and what is asked of it. */
export type FieldError = Schemas["FieldErrorView"];

export type JobView = Schemas["JobView"];
export type JobDetailView = Schemas["JobDetailView"];
export type ReservationView = Schemas["ReservationView"];
export type DryRunView = Schemas["DryRunView"];
export type AttemptView = Schemas["AttemptView"];
export type PermitView = Schemas["PermitView"];
export type LeaseView = Schemas["LeaseView"];
export type FinishedView = Schemas["FinishedView"];
export type BalanceView = Schemas["BalanceView"];
export type EntryView = Schemas["EntryView"];
export type DenialView = Schemas["DenialView"];
export type DenialDetailView = Schemas["DenialDetailView"];
export type WebhookView = Schemas["WebhookView"];

export type CreateJobBody = Schemas["CreateJobBody"];
export type PlanBody = Schemas["PlanBody"];
export type ReserveBody = Schemas["ReserveBody"];
export type ChargeBody = Schemas["ChargeBody"];
export type PermitBody = Schemas["PermitBody"];
export type FinishBody = Schemas["FinishBody"];
/** How an attempt ended: `failed` and `overloaded` speak against the service, `rejected` and `cancelled` do not. */
export type Outcome = FinishBody["outcome"];

/** One operation of a batch. Those that need an idempotency key are given one where they have none. */
export type BatchOperation = Schemas["BatchBody"]["operations"][number];
/** What one operation of a batch was answered: what its own route would have. */
export interface OperationResult {
  readonly status: number;
  readonly body: unknown;
  readonly replayed?: true;
}
