import { eventsIn, type SentEvent } from "#libs/client";
import { parsed, problemOf, Unreachable } from "../api/call.js";

/** Longest wait for the beginning of an answer. */
const TIMEOUT_MS = 15_000;

interface Listening {
  readonly signal: AbortSignal;
  /** Where it was before. */
  readonly lastId: string | undefined;
  readonly onOpen: () => void;
  readonly onTold: (told: SentEvent) => void;
}

/**
 * Listens until the stream ends. The key goes in a header, as everywhere, which is why this is no EventSource.
 * @throws ApiProblem when it is refused, Unreachable when the connection breaks, and the signal's reason when it is aborted.
 */
export async function listen(key: string, path: string, { signal, lastId, onOpen, onTold }: Listening): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${key}`, ...(lastId !== undefined && { "last-event-id": lastId }) },
      signal: AbortSignal.any([signal, late.signal]),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
    if (!response.ok || !response.body) throw await refusalOf(response);
    clearTimeout(timer);
    onOpen();
    for await (const told of eventsIn(response.body)) onTold(told);
  } catch (error) {
    signal.throwIfAborted();
    // What fetch and its body throw, and a wait or a silence that lasts too long.
    const isLost = error instanceof TypeError || error instanceof DOMException;
    throw isLost ? new Unreachable("The connection was lost.") : error;
  } finally {
    clearTimeout(timer);
  }
}

async function refusalOf(response: Response): Promise<Error> {
  const text = await response.text();
  const { status, headers } = response;
  return problemOf({ status, text, retryAfter: headers.get("retry-after") }, parsed(text));
}
