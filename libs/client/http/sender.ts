import { ROUTES } from "../api/routes.js";
import type { Answer, OperationId } from "../api/types.js";
import { ConnectionFailed, ProblemError, UnexpectedAnswer } from "../errors/errors.js";
import { errorOf, isProblem } from "../errors/table.js";
import { retryAfterMs, waitBeforeRetry, type RetryOptions } from "./backoff.js";
import { after } from "../timer.js";
import { linked, sleep, timeoutError, type Linked } from "./signals.js";

export interface CallOptions {
  /** Aborting ends the call, its retries and their waits with the signal's reason. What was sent may have taken effect. */
  readonly signal?: AbortSignal | undefined;
  /** Used as it is instead of one made here; 1 to 255 visible ASCII characters. On routes that need none it is not sent. */
  readonly idempotencyKey?: string | undefined;
  /** How this call is sent again, where it differs from the client's own. */
  readonly retries?: Partial<RetryOptions> | undefined;
}

export interface Request {
  /** What stands for `{name}` in the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object | undefined;
  /** Besides those that every request has, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The service may take so much longer to answer, milliseconds. */
  readonly waitMs?: number;
}

export interface SenderOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Longest wait for the answer to one try, milliseconds. */
  readonly timeoutMs: number;
  readonly retries: RetryOptions;
  readonly fetch: typeof globalThis.fetch;
}

/** Answers by which a gateway says that the service was not there, or not in time. */
const GATEWAY_STATUSES = [408, 425, 429, 500, 502, 503, 504];
const EXCERPT = 200;
const EVENT_STREAM = "text/event-stream";

export type Failed = ProblemError | ConnectionFailed | UnexpectedAnswer;

interface Prepared {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Sends requests, and sends them again where that is safe and may help. */
export class Sender {
  /** Out of sight of whoever prints a client: it holds the key. */
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * The key of the request is made once, before the first try. Sent again is what was answered with a `retryable` problem or
   * by a gateway, and what got no answer; what the service refuses for good is asked once.
   * @throws ProblemError, ConnectionFailed, UnexpectedAnswer, and the signal's reason.
   */
  async send<Id extends OperationId>(id: Id, request: Request, call: CallOptions = {}): Promise<Answer<Id>> {
    const retries = { ...this.#options.retries, ...call.retries };
    const endsAt = performance.now() + retries.totalMs;
    const prepared = this.prepare(id, request, call);
    for (let tries = 1; ; tries += 1) {
      call.signal?.throwIfAborted();
      const answer = await this.tryOnce(prepared, tries, endsAt);
      if (!(answer instanceof Error)) return answer.json as Answer<Id>;
      const asked = answer instanceof ConnectionFailed ? null : answer.retryAfterMs;
      const waitMs = waitBeforeRetry(tries, asked, retries, Math.random());
      // Sooner than asked for it would only be refused again.
      const isLast = tries >= retries.tries || performance.now() + waitMs >= endsAt;
      if (isLast || !mayHelp(answer)) throw answer;
      await sleep(waitMs, call.signal);
    }
  }

  /** How requests are sent again, where a call does not say otherwise. */
  get retries(): RetryOptions {
    return this.#options.retries;
  }

  /**
   * Asks once for a stream of events, whose body is open until `own` is aborted. `tries`: how often it was asked for.
   * @throws ProblemError, UnexpectedAnswer, and what fetch throws.
   */
  async open(
    id: OperationId,
    { lastId, tries }: { readonly lastId: string | undefined; readonly tries: number },
    own: Linked,
  ): Promise<ReadableStream<Uint8Array>> {
    const headers = { accept: EVENT_STREAM, ...(lastId !== undefined && { "last-event-id": lastId }) };
    const { url, init, timeoutMs } = this.prepare(id, { headers }, {});
    const stopTimer = after(timeoutMs, () => own.abort(timeoutError(`no answer within ${timeoutMs} ms`)));
    try {
      const response = await this.#options.fetch(url, { ...init, signal: own.signal });
      const isStream = response.headers.get("content-type")?.startsWith(EVENT_STREAM);
      if (response.ok && response.body && isStream) return response.body;
      const text = await response.text();
      const answer = understand(response, text, { tries, idempotencyKey: undefined });
      throw answer instanceof Error ? answer : unexpected(response, text, tries, null);
    } finally {
      stopTimer();
    }
  }

  private prepare(
    id: OperationId,
    { params = {}, query = {}, body, headers: more, waitMs = 0 }: Request,
    call: CallOptions,
  ): Prepared {
    const { method, path, keyed } = ROUTES[id];
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const asked = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
    const search = new URLSearchParams(
      asked.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const idempotencyKey = keyed ? (call.idempotencyKey ?? globalThis.crypto.randomUUID()) : undefined;
    const headers = {
      authorization: `Bearer ${this.#options.apiKey}`,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...more,
    };
    return {
      url: this.#options.baseUrl + filled + (search && `?${search}`),
      // The key belongs to this address and to no other.
      init: { method, headers, redirect: "error", ...(body && { body: JSON.stringify(body) }) },
      timeoutMs: this.#options.timeoutMs + waitMs,
      idempotencyKey,
      signal: call.signal,
    };
  }

  private async tryOnce(
    { url, init, timeoutMs, idempotencyKey, signal }: Prepared,
    tries: number,
    endsAt: number,
  ): Promise<{ json: unknown } | Failed> {
    const own = linked(signal);
    const leftMs = Math.max(1, Math.min(timeoutMs, endsAt - performance.now()));
    const stopTimer = after(leftMs, () => own.abort(timeoutError(`no answer within ${Math.ceil(leftMs)} ms`)));
    try {
      const response = await this.#options.fetch(url, { ...init, signal: own.signal });
      const text = await response.text();
      return understand(response, text, { tries, idempotencyKey });
    } catch (error) {
      signal?.throwIfAborted();
      const timedOut = own.signal.aborted;
      const cause = timedOut ? own.signal.reason : error;
      return new ConnectionFailed(sentence(cause), { tries, idempotencyKey }, timedOut, cause);
    } finally {
      stopTimer();
      own.unlink();
    }
  }
}

function understand(
  response: Response,
  text: string,
  attempted: { tries: number; idempotencyKey: string | undefined },
): { json: unknown } | Failed {
  const json = parse(text);
  if (response.ok && json !== undefined) return { json };
  const askedMs = retryAfterMs(response.headers.get("retry-after"), Date.now());
  if (!response.ok && isProblem(json)) return errorOf(json, attempted, askedMs);
  return unexpected(response, text, attempted.tries, askedMs);
}

function unexpected({ status }: Response, text: string, tries: number, askedMs: number | null): UnexpectedAnswer {
  return new UnexpectedAnswer(status, text.slice(0, EXCERPT), tries, askedMs);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** True where the same again may be answered otherwise. */
export function mayHelp(error: Failed): boolean {
  if (error instanceof ProblemError) return error.retryable;
  return error instanceof ConnectionFailed || GATEWAY_STATUSES.includes(error.status);
}

/** What fetch throws says little by itself; its cause does. */
export function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
