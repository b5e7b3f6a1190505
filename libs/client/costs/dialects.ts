import { isCount, UNKNOWN, type Unknown, type Usage } from "./usage.js";

/**
 * A provider's usage as it was told. OpenAI counts what is cached within the prompt (`whole`), Anthropic beside it
 * (`fresh`); until all was told, neither can be made of the other.
 */
export interface Told {
  readonly prompt: { readonly whole: number } | { readonly fresh: number | undefined };
  readonly cacheRead: number;
  /** All that was written to a cache, the part that lives for an hour included. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  /** Undefined: not told yet, or only as a part of `total`. */
  readonly output: number | undefined;
  readonly total: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Somebody's usage with a number in it that is no whole number ≥ 0: none of its numbers is to be trusted. */
export const SPOILT = "spoilt";

/** A number that may be left out (null counts as left out); what is there and no count spoils all the rest. */
class Reader {
  spoilt = false;

  constructor(private readonly fields: Fields) {}

  maybe(name: string, fields: Fields = this.fields): number | undefined {
    const value = fields[name];
    if (value === undefined || value === null) return undefined;
    if (isCount(value)) return value;
    this.spoilt = true;
    return undefined;
  }

  within(name: string): Fields {
    return fieldsOf(this.fields[name]) ?? {};
  }
}

/**
 * Reads a `usage` member: OpenAI's of chat completions and embeddings (`prompt_tokens`), OpenAI's of responses
 * (`input_tokens` with `input_tokens_details`) or Anthropic's (`input_tokens`). Null: it is none of them. Nothing is
 * coerced.
 */
export function readTold(usage: unknown): Told | typeof SPOILT | null {
  const fields = fieldsOf(usage);
  if (!fields) return null;
  const reader = new Reader(fields);
  const told =
    "prompt_tokens" in fields ? chat(reader) : "input_tokens_details" in fields ? responses(reader) : anthropic(reader);
  return reader.spoilt ? SPOILT : told;
}

function chat(reader: Reader): Told | null {
  return inclusive(reader, "prompt_tokens", "completion_tokens", reader.within("prompt_tokens_details"));
}

function responses(reader: Reader): Told | null {
  return inclusive(reader, "input_tokens", "output_tokens", reader.within("input_tokens_details"));
}

/** Gateways that speak OpenAI's dialect for others name what is cached as Anthropic does, and count it within all the same. */
function inclusive(reader: Reader, input: string, output: string, details: Fields): Told | null {
  const whole = reader.maybe(input);
  if (whole === undefined) return null;
  return {
    prompt: { whole },
    cacheRead: reader.maybe("cached_tokens", details) ?? reader.maybe("cache_read_input_tokens") ?? 0,
    cacheWrite: reader.maybe("cache_write_tokens", details) ?? reader.maybe("cache_creation_input_tokens") ?? 0,
    cacheWrite1h: 0,
    output: reader.maybe(output),
    total: reader.maybe("total_tokens"),
  };
}

/** While it streams, Anthropic tells the input at the start and the output in steps: either may be missing. */
function anthropic(reader: Reader): Told | null {
  const fresh = reader.maybe("input_tokens");
  const output = reader.maybe("output_tokens");
  if (fresh === undefined && output === undefined) return null;
  const hour = reader.maybe("ephemeral_1h_input_tokens", reader.within("cache_creation")) ?? 0;
  return {
    prompt: { fresh },
    cacheRead: reader.maybe("cache_read_input_tokens") ?? 0,
    cacheWrite: Math.max(reader.maybe("cache_creation_input_tokens") ?? 0, hour),
    cacheWrite1h: hour,
    output,
    total: reader.maybe("total_tokens"),
  };
}

/** A stream tells what was used so far, not what was used since: each number is at least what it was. */
export function later(first: Told, then: Told): Told {
  return {
    prompt: laterPrompt(first.prompt, then.prompt),
    cacheRead: Math.max(first.cacheRead, then.cacheRead),
    cacheWrite: Math.max(first.cacheWrite, then.cacheWrite),
    cacheWrite1h: Math.max(first.cacheWrite1h, then.cacheWrite1h),
    output: laterCount(first.output, then.output),
    total: laterCount(first.total, then.total),
  };
}

function laterPrompt(first: Told["prompt"], then: Told["prompt"]): Told["prompt"] {
  if ("whole" in first && "whole" in then) return { whole: Math.max(first.whole, then.whole) };
  if ("fresh" in first && "fresh" in then) return { fresh: laterCount(first.fresh, then.fresh) };
  return then;
}

function laterCount(first: number | undefined, then: number | undefined): number | undefined {
  return first === undefined ? then : Math.max(first, then ?? 0);
}

/**
 * The usage in the one form that is priced. What `total` counts beyond prompt and output was generated too (some
 * providers leave reasoning out of the output). Unknown without any word of the prompt, or of the output.
 */
export function usageOf({ prompt, cacheRead, cacheWrite, cacheWrite1h, output, total }: Told): Usage | Unknown {
  const cached = cacheRead + cacheWrite;
  const whole = "whole" in prompt ? prompt.whole : prompt.fresh === undefined ? undefined : prompt.fresh + cached;
  if (whole === undefined || (output === undefined && total === undefined)) return UNKNOWN;
  const generated = Math.max(output ?? 0, (total ?? 0) - whole);
  if (!isCount(cached) || !isCount(whole)) return UNKNOWN;
  return {
    input: Math.max(0, whole - cached),
    cacheRead,
    cacheWrite: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    output: generated,
    inconsistent: cached > whole,
  };
}

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
