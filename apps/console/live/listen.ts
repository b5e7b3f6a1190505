import { parsed, problemOf, Unreachable } from "../api/call.js";
import { EventParser, type Told } from "./events.js";

/** The server says something every 15 s; after so long without a word the connection is taken for dead. */
const SILENCE_MS = 40_000;

interface Listening {
  readonly signal: AbortSignal;
  /** Where it was before. */
  readonly lastId: string | null;
  readonly onOpen: () => void;
  readonly onTold: (told: Told) => void;
}

/**
 * Listens until the stream ends. The key goes in a header, as everywhere, which is why this is no EventSource.
 * @throws ApiProblem when it is refused, Unreachable when the connection breaks, and the signal's reason when it is aborted.
 */
export async function listen(key: string, path: string, { signal, lastId, onOpen, onTold }: Listening): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${key}`, ...(lastId !== null && { "last-event-id": lastId }) },
      signal: AbortSignal.any([signal, silence.signal]),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
    if (!response.ok || !response.body) throw await refusalOf(response);
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventParser();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      parser.push(value ?? "").forEach(onTold);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof TypeError || silence.signal.aborted ? new Unreachable("The connection was lost.") : error;
  } finally {
    clearTimeout(timer);
  }
}

async function refusalOf(response: Response): Promise<Error> {
  const text = await response.text();
  const { status, headers } = response;
  return problemOf({ status, text, retryAfter: headers.get("retry-after") }, parsed(text));
}
