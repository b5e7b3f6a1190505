import { invalid } from "../problems/problem.js";

/**
 * A cursor says which list it belongs to and after which row the next page begins. It is no secret, only opaque: the
 * row is named by its sequence number or key, which stay what they are however many rows come and go.
 */
export function cursorOf(list: string, after: string): string {
  return Buffer.from(JSON.stringify([list, after])).toString("base64url");
}

/** The place after which the page begins. Throws Problem for anything that this list did not hand out. */
export function afterOf(list: string, cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const parsed = parse(cursor);
  if (Array.isArray(parsed) && parsed.length === 2 && parsed[0] === list) {
    const after: unknown = parsed[1];
    if (typeof after === "string" && pattern.test(after) && cursorOf(list, after) === cursor) return after;
  }
  throw invalid([{ pointer: "/cursor", message: "is not a cursor of this list" }]);
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
