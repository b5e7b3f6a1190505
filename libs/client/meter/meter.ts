import { onAbort } from "../http/signals.js";
import { EventReader } from "../http/sse.js";
import { StreamUsage, type Unknown, type Usage } from "../costs/index.js";
import { settle, type Costing, type Settlement } from "./settlement.js";
import { usageEvents } from "./sse.js";

export interface MeterOptions extends Costing {
  /** Aborting cancels the stream: whoever reads it gets the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Reads a part of another dialect: the usage of the stream so far, or undefined where the part tells none. */
  readonly usageIn?: ((part: unknown) => Usage | Unknown | undefined) | undefined;
  /** Waited for before whoever reads is told that the stream has ended; what it throws is told instead. */
  readonly closing?: (() => Promise<unknown>) | undefined;
}

/** A stream that is watched on its way. */
export interface Meter<S> {
  /** Read this one instead. It is of the same kind, passes everything on unchanged, and may be read once. */
  readonly stream: S;
  /** What to settle with, by what was seen so far. */
  settlement(): Settlement;
  /** The same once nothing follows: the stream ended, failed or was cancelled. It never rejects. */
  readonly ended: Promise<Settlement>;
}

/**
 * Passes a stream of a model on and sees what it used: events of OpenAI's and Anthropic's clients, or the bytes or text of
 * server-sent events, such as the body of a `fetch`. What the stream tells is what was used so far, so it counts once.
 *
 * A stream that is cancelled or fails is settled by what was seen; where no usage was seen, by the planned amounts, marked
 * estimated. A stream that nobody reads never ends: take `settlement()`.
 */
export function meter<T>(stream: ReadableStream<T>, options: MeterOptions): Meter<ReadableStream<T>>;
export function meter<T>(stream: AsyncIterable<T>, options: MeterOptions): Meter<AsyncIterable<T>>;
export function meter<T>(source: AsyncIterable<T> | ReadableStream<T>, options: MeterOptions) {
  const watch = new Watch(options);
  const stream = isReadable(source)
    ? readableOf(source, watch)
    : { [Symbol.asyncIterator]: () => iteratorOf(source, watch) };
  return { stream, settlement: () => watch.settlement(), ended: watch.ended };
}

/** What a meter sees of one stream. */
class Watch {
  readonly ended: Promise<Settlement>;
  private last: Settlement | undefined;
  private read: Usage | Unknown | undefined;
  private readonly usage = new StreamUsage();
  private readonly text = new EventReader();
  private end!: (settlement: Settlement) => void;
  private cancel: ((reason: unknown) => unknown) | undefined;
  private readonly aborted: Promise<never> | undefined;

  constructor(private readonly options: MeterOptions) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    const { signal } = options;
    if (!signal) return;
    const gone = new Promise<void>((resolve) => {
      const forget = onAbort(signal, resolve);
      void this.ended.then(forget);
    });
    this.aborted = gone.then((): never => {
      this.close();
      quietly(() => this.cancel?.(signal.reason));
      throw signal.reason;
    });
    // Nobody may be reading in the moment of the abort.
    this.aborted.catch(() => undefined);
  }

  /** How the source is told that nobody reads on. */
  onAbort(cancel: (reason: unknown) => unknown): void {
    this.cancel = cancel;
  }

  /** The next part as the source gives it, or the signal's reason where that comes first. */
  async next<T>(read: () => Promise<{ done?: boolean; value?: T }>): Promise<{ done?: boolean; value?: T }> {
    try {
      this.options.signal?.throwIfAborted();
      const next = await (this.aborted ? Promise.race([read(), this.aborted]) : read());
      if (!next.done) this.see(next.value);
      else await this.closed();
      return next;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Closes it, and waits for what waits for that. */
  async closed(): Promise<void> {
    this.close();
    await this.options.closing?.();
  }

  close(): void {
    if (this.last) return;
    for (const event of usageEvents(this.text.end())) this.usage.see(event);
    this.last = this.settlement();
    this.end(this.last);
  }

  settlement(): Settlement {
    return this.last ?? settle(this.read ?? this.usage.usage, this.options);
  }

  private see(part: unknown): void {
    if (this.options.usageIn) {
      this.read = this.options.usageIn(part) ?? this.read;
      return;
    }
    const isText = typeof part === "string" || part instanceof Uint8Array;
    for (const event of isText ? usageEvents(this.text.read(part)) : [part]) this.usage.see(event);
  }
}

function iteratorOf<T>(source: AsyncIterable<T>, watch: Watch): AsyncIterator<T> {
  const iterator = source[Symbol.asyncIterator]();
  watch.onAbort(() => iterator.return?.());
  return {
    next: () =>
      watch.next(() => iterator.next() as Promise<{ done?: boolean; value?: T }>) as Promise<IteratorResult<T>>,
    return: async (value?: unknown) => {
      watch.close();
      const last = (await iterator.return?.(value)) ?? { done: true as const, value };
      await watch.closed();
      return last;
    },
  };
}

function readableOf<T>(source: ReadableStream<T>, watch: Watch): ReadableStream<T> {
  const reader = source.getReader();
  watch.onAbort((reason) => reader.cancel(reason));
  const pull = async (controller: ReadableStreamDefaultController<T>): Promise<void> => {
    const { done, value } = await watch.next<T>(() => reader.read() as Promise<{ done?: boolean; value?: T }>);
    if (done) controller.close();
    else controller.enqueue(value!);
  };
  const cancel = async (reason: unknown): Promise<void> => {
    watch.close();
    await reader.cancel(reason);
    await watch.closed();
  };
  // Nothing is read ahead: what was not asked for was not seen.
  return new ReadableStream<T>({ pull, cancel }, { highWaterMark: 0 });
}

function isReadable<T>(source: AsyncIterable<T> | ReadableStream<T>): source is ReadableStream<T> {
  return "getReader" in source;
}

/** What goes wrong while a stream is cancelled helps nobody any more. */
function quietly(run: () => unknown): void {
  Promise.resolve()
    .then(run)
    .catch(() => undefined);
}
