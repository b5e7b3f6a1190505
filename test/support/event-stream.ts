import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { eventsIn } from "#libs/client";

export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client of `/v1/events` or `/v1/admin/events`, which keeps all that it was told. */
export class EventClient {
  readonly events: StreamEvent[] = [];
  /** Resolves once the stream has ended, in whatever way. */
  readonly ended: Promise<void>;
  isOver = false;
  private readonly aborter = new AbortController();

  private constructor(
    readonly status: number,
    readonly headers: Headers,
    body: ReadableStream<Uint8Array> | null,
    aborter: AbortController,
    readonly refusal: Readonly<Record<string, unknown>> | undefined,
  ) {
    this.aborter = aborter;
    this.ended = (body ? this.read(body) : Promise.resolve()).finally(() => (this.isOver = true));
  }

  static async connect(url: string, key: string, path: string, lastId?: string): Promise<EventClient> {
    const aborter = new AbortController();
    const headers = { authorization: `Bearer ${key}`, ...(lastId !== undefined && { "last-event-id": lastId }) };
    const response = await fetch(new URL(path, url), { headers, signal: aborter.signal });
    const refusal = response.ok ? undefined : ((await response.json()) as Record<string, unknown>);
    return new EventClient(response.status, response.headers, response.ok ? response.body : null, aborter, refusal);
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  /** Topics that were told since the event of that index. */
  topics(from = 0): string[] {
    return this.events.slice(from).flatMap(({ data }) => (data["topics"] as string[] | undefined) ?? []);
  }

  /** The first event from that index on for which it holds, and how long it took to come. */
  async first(
    holds: (event: StreamEvent) => boolean,
    from = 0,
    withinMs = 6_000,
  ): Promise<{ event: StreamEvent; ms: number }> {
    const begun = performance.now();
    for (;;) {
      const event = this.events.slice(from).find(holds);
      const ms = performance.now() - begun;
      if (event) return { event, ms };
      if (ms > withinMs) throw new Error(`not told within ${withinMs} ms: ${JSON.stringify(this.events.slice(from))}`);
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    this.aborter.abort();
    await this.ended;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const { event, id, data } of eventsIn(body))
        this.events.push({ event, id, data: JSON.parse(data) as StreamEvent["data"] });
    } catch {
      // The connection broke: that is an end as well.
    }
  }
}

export const isEvent =
  (...names: readonly string[]) =>
  ({ event }: StreamEvent): boolean =>
    names.includes(event);

export const tells =
  (topic: string) =>
  ({ event, data }: StreamEvent): boolean =>
    event === "changed" && (data["topics"] as string[]).includes(topic);
