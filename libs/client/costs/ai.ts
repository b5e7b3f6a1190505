import { fieldsOf } from "./dialects.js";
import { isCount, UNKNOWN, type Unknown, type Usage } from "./usage.js";

/** Reads the usage of the AI SDK's language models (specification v3), whose total of the input counts what is cached. */
export function readAiUsage(usage: unknown): Usage | Unknown {
  const { inputTokens, outputTokens } = fieldsOf(usage) ?? {};
  const { total: whole, noCache, cacheRead = 0, cacheWrite = 0 } = fieldsOf(inputTokens) ?? {};
  const { total: output } = fieldsOf(outputTokens) ?? {};
  if (!isCount(cacheRead) || !isCount(cacheWrite) || !isCount(output)) return UNKNOWN;
  const total = whole ?? (isCount(noCache) ? noCache + cacheRead + cacheWrite : undefined);
  if (!isCount(total)) return UNKNOWN;
  const fresh = total - cacheRead - cacheWrite;
  return { input: Math.max(0, fresh), cacheRead, cacheWrite, cacheWrite1h: 0, output, inconsistent: fresh < 0 };
}
