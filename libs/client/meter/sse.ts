import type { SentEvent } from "../http/sse.js";

/** What server-sent events of a model may tell of usage; most are text and tell none, and cost no parsing. */
export function usageEvents(events: readonly SentEvent[]): unknown[] {
  return events.flatMap(({ data }) => (data.includes('"usage"') ? parsed(data) : []));
}

/** What is no JSON is passed over. */
function parsed(data: string): unknown[] {
  try {
    return [JSON.parse(data)];
  } catch {
    return [];
  }
}
