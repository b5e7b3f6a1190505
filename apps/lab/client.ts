/** The few calls of the public API that the lab makes. Anything unexpected ends the run with one line for a person. */

/** Ends the run; the message is one line. */
export class LabError extends Error {
  constructor(message: string) {
    super(oneLine(message));
    this.name = "LabError";
  }
}

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Answers that are part of the experiment; every other one is an error. */
  readonly expect: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The call in words, for error messages. */
  readonly call: string;
}

const CALL_TIMEOUT_MS = 10_000;

/** Speaks to one Holdfast with one key. Aborting `signal` ends a running call. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly signal?: AbortSignal,
  ) {}

  async send({ method, path, body, idempotencyKey, expect }: Call): Promise<Answer> {
    this.signal?.throwIfAborted();
    const call = `${method} ${path}`;
    const { status, text } = await this.exchange(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
    });
    const parsed = text === "" ? null : parseJson(text);
    if (expect.includes(status) && parsed !== undefined) return { status, body: parsed, call };
    if (status === 401) throw new LabError(`Holdfast at ${this.url} does not know the key (401)`);
    throw new LabError(unexpected(call, status, parsed));
  }

  private async exchange(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const signal = this.signal ? AbortSignal.any([this.signal, timeout]) : timeout;
    try {
      const response = await fetch(url, { ...init, signal });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      this.signal?.throwIfAborted();
      if (timeout.aborted)
        throw new LabError(`Holdfast at ${this.url} did not answer within ${CALL_TIMEOUT_MS / 1000} s`);
      throw new LabError(`Cannot reach Holdfast at ${this.url}: ${reasonOf(error)}`);
    }
  }
}

/** An object of an answer, with readers that refuse what is missing or has another type. */
export class Fields {
  private constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly call: string,
  ) {}

  static of(answer: Answer): Fields {
    return Fields.from(answer.body, answer.call, "a body");
  }

  string(name: string): string {
    const value = this.fields[name];
    return typeof value === "string" ? value : this.missing(name);
  }

  integer(name: string): number {
    const value = this.fields[name];
    return typeof value === "number" && Number.isSafeInteger(value) ? value : this.missing(name);
  }

  object(name: string): Fields {
    return Fields.from(this.fields[name], this.call, name);
  }

  list(name: string): Fields[] {
    const value = this.fields[name];
    return Array.isArray(value) ? value.map((item: unknown) => Fields.from(item, this.call, name)) : this.missing(name);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.fields, name) && this.fields[name] !== null;
  }

  private missing(name: string): never {
    throw new LabError(`${this.call} answered without a usable ${name}`);
  }

  private static from(value: unknown, call: string, name: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new LabError(`${call} answered without a usable ${name}`);
    }
    return new Fields(value as Record<string, unknown>, call);
  }
}

/** undefined when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unexpected(call: string, status: number, body: unknown): string {
  if (typeof body !== "object" || body === null) return `${call} answered ${status} without JSON: is this a Holdfast?`;
  const { code, detail, title } = body as Record<string, unknown>;
  const why = [detail, title].find((text) => typeof text === "string");
  const named = typeof code === "string" ? `${status} ${code}` : String(status);
  return `${call} answered ${named}${why === undefined ? "" : `: ${why}`}`;
}

/** fetch hides what happened ("fetch failed") in the cause, and of two addresses tried in a list of causes. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || String(cause);
}

/** Without control characters, which a stranger's answer could aim at the terminal, and not endless. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 400);
}
