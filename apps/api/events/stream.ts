import { PassThrough, type Readable } from "node:stream";

export const EVENT_STREAM = "text/event-stream; charset=utf-8";
/** What may wait for a client that reads slowly, bytes; one that is further behind is cut off, and asks anew. */
const MOST_WAITING_BYTES = 256 * 1024;
/** How long a client waits before it connects again, unless it knows better. */
const RETRY_MS = 2_000;

/** Why a stream ended, as metrics name it. */
export type Ending = "client" | "key" | "slow" | "stopping";

/** One client's stream of server-sent events. */
export class EventStream {
  private readonly out = new PassThrough({ highWaterMark: MOST_WAITING_BYTES });
  private ending: Ending | undefined;

  /** `ended` is called once. */
  constructor(private readonly ended: (ending: Ending) => void) {
    this.out.once("close", () => this.end("client"));
    // A client that goes away is no fault of anybody.
    this.out.on("error", () => undefined);
    this.out.write(`retry: ${RETRY_MS}\n\n`);
  }

  get body(): Readable {
    return this.out;
  }

  send(event: string, data: object, id?: string): void {
    this.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** A comment, which keeps whatever stands between from taking the connection for an idle one. */
  beat(): void {
    this.write(":\n\n");
  }

  /** What was sent before still arrives, unless the client is too slow for it. */
  end(ending: Ending): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    if (ending === "slow") this.out.destroy();
    else this.out.end();
    this.ended(ending);
  }

  private write(text: string): void {
    if (this.ending !== undefined) return;
    if (this.out.readableLength + this.out.writableLength > MOST_WAITING_BYTES) return this.end("slow");
    this.out.write(text);
  }
}
