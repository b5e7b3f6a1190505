import { ConnectionFailed, HoldfastError } from "../errors/errors.js";
import { waitBeforeRetry } from "../http/backoff.js";
import { mayHelp, sentence, type Failed, type Sender } from "../http/sender.js";
import { linked, sleep } from "../http/signals.js";
import { eventsIn, type SentEvent } from "../http/sse.js";

/** What an answer of the API may depend on: the tenant's own settings, jobs and their reservations, the ledger and with it the balances, denials. */
export type Topic = "tenants" | "jobs" | "ledger" | "denials";

/** What the service tells a tenant. Kinds that are newer than this package are passed over. */
export type TenantEvent =
  /** Anything may have changed: at the beginning, and after a gap of which not all is known. */
  | { readonly type: "everything" }
  | { readonly type: "changed"; readonly topics: readonly Topic[] }
  /** Changes cannot be seen meanwhile, and are told afterwards. */
  | { readonly type: "unavailable"; readonly what: readonly string[] }
  | { readonly type: "available" };

export interface EventsOptions {
  /** Aborting ends it with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What `Api.events` promises. */
export async function* events(
  sender: Sender,
  { signal }: EventsOptions = {},
): AsyncGenerator<TenantEvent, never, undefined> {
  const stream = new Stream(sender, signal);
  for (;;) {
    yield* stream.listen();
    await stream.pause();
  }
}

/** One stream over all its connections. */
class Stream {
  private lastId: string | undefined;
  /** In a row that soon came to an end. */
  private tries = 0;
  private askedMs: number | null = null;

  constructor(
    private readonly sender: Sender,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** What one connection tells, until it ends or is lost. @throws as `Api.events`. */
  async *listen(): AsyncGenerator<TenantEvent, void, undefined> {
    this.signal?.throwIfAborted();
    this.tries += 1;
    this.askedMs = null;
    const own = linked(this.signal);
    const begun = performance.now();
    try {
      const body = await this.sender.open("events.stream", { lastId: this.lastId, tries: this.tries }, own);
      for await (const sent of eventsIn(body)) {
        this.lastId = sent.id ?? this.lastId;
        yield* toldBy(sent);
      }
    } catch (error) {
      this.signal?.throwIfAborted();
      const failed = this.failureOf(error);
      if (!mayHelp(failed)) throw failed;
      this.askedMs = failed instanceof ConnectionFailed ? null : failed.retryAfterMs;
    } finally {
      own.unlink();
      // One that is cut off again and again is asked for less and less often, though each time it was opened.
      if (performance.now() - begun > this.sender.retries.mostMs) this.tries = 0;
    }
  }

  pause(): Promise<void> {
    const { askedMs, sender, signal } = this;
    return sleep(waitBeforeRetry(Math.max(1, this.tries), askedMs, sender.retries, Math.random()), signal);
  }

  private failureOf(error: unknown): Failed {
    if (error instanceof HoldfastError) return error as Failed;
    return new ConnectionFailed(sentence(error), { tries: this.tries }, false, error);
  }
}

/** That the stream ends, and why, is told by the answer to the next request. */
function toldBy({ event, data }: SentEvent): TenantEvent[] {
  if (event === "everything" || event === "available") return [{ type: event }];
  if (event !== "changed" && event !== "unavailable") return [];
  const { topics = [], what = [] } = JSON.parse(data) as { topics?: readonly Topic[]; what?: readonly string[] };
  if (event === "unavailable") return [{ type: event, what }];
  return topics.length === 0 ? [] : [{ type: event, topics }];
}
