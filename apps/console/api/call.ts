/** A refusal of the API, with what a person can act on. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    /** As in docs/errors.md; "unknown" where the answer was no problem of the API. */
    readonly code: string,
    detail: string,
    readonly retryAfterS: number | null,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(detail);
    this.name = "ApiProblem";
  }
}

/** No answer came: the connection was lost, or it took too long. Whether the request had an effect is not known. */
export class Unreachable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Unreachable";
  }
}

export interface CallOptions {
  readonly body?: unknown;
  /** The same for each try of one intent, so that a repeated request has one effect. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
  /** Lets the request go on after the page is left. */
  readonly keepalive?: boolean;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const TIMEOUT_MS = 15_000;

/**
 * One request to the API of this origin.
 * @throws ApiProblem when it is refused, Unreachable when no answer comes, and the signal's reason when it is aborted.
 */
export async function call<T>(key: string, method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const answer = await exchange(key, method, path, options);
  const body = parsed(answer.text);
  if (isDone(answer) && body !== undefined) return body as T;
  throw problemOf(answer, body);
}

/** A GET whose answer is plain text. @throws as `call`. */
export async function callText(key: string, path: string, signal?: AbortSignal): Promise<string> {
  const answer = await exchange(key, "GET", path, { signal });
  if (isDone(answer)) return answer.text;
  throw problemOf(answer, parsed(answer.text));
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** What was refused, and why, as far as the answer says. */
export function problemOf({ status, retryAfter }: Answer, body: unknown): ApiProblem {
  const problem = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const { code, detail, title } = problem;
  const said = [detail, title].find((word) => typeof word === "string");
  return new ApiProblem(
    status,
    typeof code === "string" ? code : "unknown",
    said ?? `The answer was ${status} without a reason.`,
    retryAfter === null || !/^\d+$/.test(retryAfter) ? null : Number(retryAfter),
    problem,
  );
}

/** What a header can carry of a key; with anything else the browser sends nothing, as if the connection were lost. */
const SENDABLE = /^[!-~]*$/;

async function exchange(key: string, method: Method, path: string, options: CallOptions): Promise<Answer> {
  if (!SENDABLE.test(key)) {
    throw new ApiProblem(401, "unauthenticated", "It has characters that no key has.", null, {});
  }
  const { body, idempotencyKey, signal, keepalive = false } = options;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      keepalive,
      credentials: "omit",
      redirect: "error",
    });
    return {
      status: response.status,
      text: await response.text(),
      retryAfter: response.headers.get("retry-after"),
    };
  } catch {
    signal?.throwIfAborted();
    throw new Unreachable(
      timeout.aborted ? `Holdfast did not answer within ${TIMEOUT_MS / 1_000} s.` : "Holdfast cannot be reached.",
    );
  }
}

/** undefined when the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}
