/** Longest event that is read, characters; what a longer one tells stays unknown. */
const LONGEST_EVENT = 8 * 1_024 * 1_024;

/** Reads the JSON data of server-sent events from text or bytes that are cut anywhere. What is no JSON is passed over. */
export class EventReader {
  private readonly decoder = new TextDecoder();
  /** The line that has not ended yet. */
  private rest = "";
  private data: string[] = [];
  private length = 0;
  private afterReturn = false;

  /** The events that this piece ends. */
  read(piece: string | Uint8Array): unknown[] {
    const text = typeof piece === "string" ? piece : this.decoder.decode(piece, { stream: true });
    const lines = this.withoutCutBreak(text).split(/\r\n|\r|\n/);
    lines[0] = this.rest + lines[0]!;
    this.rest = lines.pop()!;
    const events = lines.flatMap((line) => this.line(line));
    if (this.length + this.rest.length > LONGEST_EVENT) this.skip(this.rest.length);
    return events;
  }

  /** The event that the end of the stream ends. */
  end(): unknown[] {
    return this.read("\n\n");
  }

  /** A line break may be cut between its two characters: the second one ends no further line. */
  private withoutCutBreak(text: string): string {
    if (text === "") return text;
    const whole = this.afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.afterReturn = text.endsWith("\r");
    return whole;
  }

  private line(line: string): unknown[] {
    if (line === "") return this.dispatch();
    this.length += line.length;
    if (this.length > LONGEST_EVENT) this.skip(0);
    else if (line.startsWith("data:")) this.data.push(line.slice("data:".length));
    return [];
  }

  private dispatch(): unknown[] {
    const data = this.data.join("\n");
    const tooLong = this.length > LONGEST_EVENT;
    this.data = [];
    this.length = 0;
    return tooLong ? [] : parsed(data);
  }

  /** The length stays: it marks the rest of the event as not to be read. */
  private skip(more: number): void {
    this.length += more;
    this.rest = "";
    this.data = [];
  }
}

/** Most events are text and tell no usage: they cost no parsing. */
function parsed(data: string): unknown[] {
  if (!data.includes('"usage"')) return [];
  try {
    return [JSON.parse(data)];
  } catch {
    return [];
  }
}
