import { fieldsOf, later, readTold, SPOILT, usageOf, type Told } from "./dialects.js";
import { UNKNOWN, type Unknown, type Usage } from "./usage.js";

/**
 * The usage of a whole response: OpenAI's chat completions, embeddings and responses, Anthropic's messages, and what
 * speaks like one of them. `"unknown"` where it tells none, or something that is no whole number ≥ 0; an explicit 0 is 0.
 */
export function readUsage(response: unknown): Usage | Unknown {
  const told = readTold(fieldsOf(response)?.["usage"]);
  return told && told !== SPOILT ? usageOf(told) : UNKNOWN;
}

/**
 * Collects the usage of one stream from its events: chunks of chat completions (asked for with
 * `stream_options: { include_usage: true }`), events of responses, events of messages. The numbers are what was used so
 * far, so a repeated or growing one counts once; an event that tells none changes nothing.
 */
export class StreamUsage {
  private told: Told | typeof SPOILT | null = null;

  see(event: unknown): void {
    const told = readTold(usageIn(event));
    if (!told || this.told === SPOILT) return;
    this.told = this.told && told !== SPOILT ? later(this.told, told) : told;
  }

  /** As far as it was told by now. */
  get usage(): Usage | Unknown {
    return this.told && this.told !== SPOILT ? usageOf(this.told) : UNKNOWN;
  }
}

/** A chunk and Anthropic's `message_delta` carry it themselves; `message_start` in its message, `response.…` in its response. */
function usageIn(event: unknown): unknown {
  const fields = fieldsOf(event);
  if (!fields) return undefined;
  return fields["usage"] ?? fieldsOf(fields["message"])?.["usage"] ?? fieldsOf(fields["response"])?.["usage"];
}
