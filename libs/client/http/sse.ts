import { after } from "../timer.js";
import { timeoutError } from "./signals.js";

/** Longest event that is read, characters; a longer one is passed over. */
const LONGEST_EVENT = 8 * 1_024 * 1_024;

/** The service says something every 15 s; after so long without a word a connection is taken for dead, milliseconds. */
const SILENCE_MS = 40_000;

/** One server-sent event. */
export interface SentEvent {
  /** Its name; `message` where it has none. */
  readonly event: string;
  /** Its text; lines are joined by a newline. */
  readonly data: string;
  readonly id: string | undefined;
}

/**
 * The events of an answer's body, as they come. Leaving them cancels the body.
 * @param silenceMs longest wait for whatever comes next, comments included
 * @throws a TimeoutError after such a silence, and what the body throws.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  silenceMs = SILENCE_MS,
): AsyncGenerator<SentEvent, void, undefined> {
  const source = body.getReader();
  const events = new EventReader();
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, source.read());
      if (done) return;
      yield* events.read(value);
    }
  } finally {
    source.cancel().catch(() => undefined);
  }
}

/** Reads server-sent events (`text/event-stream`) from text or bytes that are cut anywhere. What has no data is passed over. */
export class EventReader {
  private readonly decoder = new TextDecoder();
  /** The line that has not ended yet. */
  private rest = "";
  private data: string[] = [];
  private event = "";
  private id: string | undefined;
  private length = 0;
  private afterReturn = false;

  /** The events that this piece ends. */
  read(piece: string | Uint8Array): SentEvent[] {
    const text = typeof piece === "string" ? piece : this.decoder.decode(piece, { stream: true });
    const lines = this.withoutCutBreak(text).split(/\r\n|\r|\n/);
    lines[0] = this.rest + lines[0]!;
    this.rest = lines.pop()!;
    const events = lines.flatMap((line) => this.line(line));
    if (this.length + this.rest.length > LONGEST_EVENT) this.skip(this.rest.length);
    return events;
  }

  /** The event that the end of the stream ends. */
  end(): SentEvent[] {
    return this.read("\n\n");
  }

  /** A line break may be cut between its two characters: the second one ends no further line. */
  private withoutCutBreak(text: string): string {
    if (text === "") return text;
    const whole = this.afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.afterReturn = text.endsWith("\r");
    return whole;
  }

  private line(line: string): SentEvent[] {
    if (line === "") return this.dispatch();
    this.length += line.length;
    if (this.length > LONGEST_EVENT) this.skip(0);
    else if (line.startsWith("data:")) this.data.push(valueOf(line));
    else if (line.startsWith("event:")) this.event = valueOf(line);
    else if (line.startsWith("id:")) this.id = valueOf(line);
    return [];
  }

  private dispatch(): SentEvent[] {
    const { event, id, data } = this;
    const isWhole = data.length > 0 && this.length <= LONGEST_EVENT;
    this.data = [];
    this.event = "";
    this.id = undefined;
    this.length = 0;
    return isWhole ? [{ event: event || "message", data: data.join("\n"), id }] : [];
  }

  /** The length stays: it marks the rest of the event as not to be read. */
  private skip(more: number): void {
    this.length += more;
    this.rest = "";
    this.data = [];
  }
}

function within<T>(ms: number, next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = after(ms, () => reject(timeoutError(`nothing came within ${ms} ms`)));
    next.then(resolve, reject).finally(stopTimer);
  });
}

function valueOf(line: string): string {
  return line.slice(line.indexOf(":") + 1).replace(/^ /, "");
}
