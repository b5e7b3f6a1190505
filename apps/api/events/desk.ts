import type { Readable } from "node:stream";
import type { Metrics } from "#libs/telemetry";
import type { Authenticator, Caller } from "../auth/authenticator.js";
import { Problem } from "../problems/problem.js";
import { EventStream, type Ending } from "./stream.js";
import type { Listener, Watcher } from "./watcher.js";

/** Shorter than the minute after which most proxies take a connection for an idle one. */
const BEAT_MS = 15_000;
/** How often the keys of open streams are looked at: with what a key is believed for, a revoked one ends its stream in two seconds. */
const CHECK_MS = 1_000;

type Counted = Pick<Metrics["instruments"], "streams" | "streamsEnded">;

interface Opened {
  readonly stream: EventStream;
  /** As the client sent it, to be asked about again. */
  readonly authorization: string | undefined;
}

/** The streams of events of this process: no more than so many, each for as long as its key opens it. */
export class EventDesk {
  private readonly opened = new Set<Opened>();
  private readonly timers: readonly NodeJS.Timeout[];
  private closed = false;

  constructor(
    private readonly watcher: Watcher,
    private readonly authenticator: Pick<Authenticator, "callerOf">,
    private readonly most: number,
    private readonly counted: Counted,
  ) {
    counted.streams.set(0);
    this.timers = [
      setInterval(() => this.opened.forEach(({ stream }) => stream.beat()), BEAT_MS).unref(),
      setInterval(() => this.opened.forEach((each) => void this.check(each)), CHECK_MS).unref(),
    ];
  }

  /**
   * A stream for this caller, from where `lastId` says that it was, if that is known.
   * @throws Problem `queue_full` when there are as many as may be, `shutting_down` when the process stops.
   */
  open(caller: Caller, authorization: string | undefined, lastId: string | undefined): Readable {
    if (this.closed) throw new Problem("shutting_down", "This process is stopping: connect again.");
    if (this.opened.size >= this.most)
      throw new Problem("queue_full", `This process has ${this.most} streams of events already.`);
    const stream: EventStream = new EventStream((ending) => leave(ending));
    const opened: Opened = { stream, authorization };
    const listener: Listener = { stream, caller, lastId, hasBegun: false };
    const leave = (ending: Ending): void => {
      this.opened.delete(opened);
      this.watcher.remove(listener);
      this.counted.streams.set(this.opened.size);
      this.counted.streamsEnded.inc({ why: ending });
    };
    this.opened.add(opened);
    this.counted.streams.set(this.opened.size);
    this.watcher.add(listener);
    return stream.body;
  }

  /** Ends every stream: each client is told to connect again, and by then not to this process. */
  close(): void {
    this.closed = true;
    this.timers.forEach((timer) => clearInterval(timer));
    for (const { stream } of this.opened) finish(stream, "shutting_down", "stopping");
    this.watcher.close();
  }

  /** Where the record cannot be asked, the stream stays: it shows nothing that its client could not ask for. */
  private async check({ stream, authorization }: Opened): Promise<void> {
    try {
      await this.authenticator.callerOf(authorization);
    } catch (error) {
      if (error instanceof Problem) finish(stream, error.code, "key");
    }
  }
}

function finish(stream: EventStream, code: string, ending: Ending): void {
  stream.send("end", { code });
  stream.end(ending);
}
