/** One event as the server sent it. */
export interface Told {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/** Puts the pieces of a text/event-stream together. Lines end with a newline alone, as this API writes them. */
export class EventParser {
  private rest = "";

  push(piece: string): Told[] {
    const blocks = (this.rest + piece).split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => toldBy(block) ?? []);
  }
}

/** null for a comment, or what a client need not know. */
function toldBy(block: string): Told | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value ?? "");
  }
  const [event, data] = [fields.get("event"), fields.get("data")];
  return event === undefined || data === undefined ? null : { event, data, id: fields.get("id") ?? null };
}
