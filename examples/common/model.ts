import { setTimeout as sleep } from "node:timers/promises";
import { PriceTable, totalTokens, type Amounts, type Usage } from "#libs/client"; // in your project: "@holdfast/client"

/** Stands for a model provider: it takes a moment, is busy now and then, and tells what it used as OpenAI does. */
export async function askModel(prompt: string, signal: AbortSignal): Promise<{ text: string; usage: object }> {
  await sleep(5 + Math.random() * 20, undefined, { signal });
  if (Math.random() < 0.1) throw Object.assign(new Error("the model is busy"), { status: 503 });
  const generated = 50 + Math.floor(Math.random() * 150);
  const usage = { prompt_tokens: 400, prompt_tokens_details: { cached_tokens: 300 }, completion_tokens: generated };
  return { text: `an answer to ${prompt}`, usage };
}

/** Millionths of a dollar for a million tokens. */
export const prices = new PriceTable({ "a-model": { input: 3_000_000, cacheRead: 300_000, output: 15_000_000 } });

/** What one call may use at most: its prompt, and the most that it may generate. */
export const CALL: Amounts = amountsOf({ input: 400, output: 200 });

/** What a usage comes to in the units that are reserved. */
export function amountsOf({ input, cacheRead = 0, output }: Pick<Usage, "input" | "output"> & Partial<Usage>): Amounts {
  const usage = { input, cacheRead, cacheWrite: 0, cacheWrite1h: 0, output, inconsistent: false };
  return { tokens: totalTokens(usage), usd_micros: prices.cost("a-model", usage) };
}
