import { denialView, type Denial, type FieldError, type Refusal } from "#libs/ledger";
import { kindOf, PROBLEM_CODES, type ProblemCode } from "./table.js";

/** The media type of every refusal: RFC 9457. */
export const PROBLEM_JSON = "application/problem+json; charset=utf-8";

/** How long a refused client waits, in whole seconds, where nothing better is known: another process may answer at once. */
const RETRY_AFTER_S = 1;

/** What sheds work: the service as a whole, the tenant at it, or what the job or the reservation planned. */
export interface ShedScope {
  readonly kind: "service" | "tenant" | "job" | "reservation";
  readonly id: string;
}

/** What more is known of a refusal of flow control. */
export interface Shed {
  readonly scope: ShedScope;
  /** Whole seconds; a client that waits exactly so long and is alone is admitted. */
  readonly retryAfter?: number;
}

export interface ProblemDetails {
  readonly detail: string;
  readonly errors?: readonly FieldError[] | undefined;
  readonly denial?: Denial | undefined;
  readonly shed?: Shed | undefined;
}

/** Thrown wherever a request is refused before the ledger has seen it. */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly errors?: readonly FieldError[],
    readonly shed?: Shed,
  ) {
    super(detail);
    this.name = "Problem";
  }

  get detail(): string {
    return this.message;
  }
}

/** The problem for values that are not valid, which are named one by one. */
export function invalid(errors: readonly FieldError[]): Problem {
  const [first] = errors;
  const detail = first ? `${first.pointer || "The request body"} ${first.message}.` : "The request is not valid.";
  return new Problem("validation_failed", detail, errors);
}

export function notFound(what: string): Problem {
  return new Problem("not_found", `There is no such ${what}.`);
}

/** The body of a refusal. `instance` is the path of the request. */
export function problemBody(
  code: ProblemCode,
  { detail, errors, denial, shed }: ProblemDetails,
  instance: string,
): object {
  const { status, title, retryable } = kindOf(code);
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    detail,
    instance,
    code,
    retryable,
    ...(mustWait(status) && { retryAfter: shed?.retryAfter ?? RETRY_AFTER_S }),
    ...(shed && { scope: shed.scope }),
    ...(errors && { errors }),
    ...(denial && denialView(denial)),
  };
}

export function refusalBody(refusal: Refusal, instance: string): object {
  return problemBody(refusal.code, refusal, instance);
}

const HEADERS = new Map(PROBLEM_CODES.map((code) => [code, headersFor(code)]));

/** The headers that go with a refusal. */
export function problemHeaders(code: ProblemCode, shed?: Shed): Readonly<Record<string, string>> {
  const headers = HEADERS.get(code)!;
  return shed?.retryAfter === undefined ? headers : { ...headers, "retry-after": String(shed.retryAfter) };
}

function headersFor(code: ProblemCode): Record<string, string> {
  const { status, terminal } = kindOf(code);
  return {
    "content-type": PROBLEM_JSON,
    ...(mustWait(status) && { "retry-after": String(RETRY_AFTER_S) }),
    ...(terminal && { "x-should-retry": "false" }),
    ...(status === 401 && { "www-authenticate": 'Bearer realm="holdfast"' }),
  };
}

function mustWait(status: number): boolean {
  return status === 429 || status === 503;
}
