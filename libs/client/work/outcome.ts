import type { Outcome } from "../api/types.js";

/** How work that threw is told to the service it called, and whether it can have used anything. */
export interface Verdict {
  readonly outcome: Outcome;
  /** The service refused it and did nothing, so what was not told was not used. */
  readonly refused: boolean;
}

const REFUSED_FOR_LOAD: ReadonlySet<number> = new Set([429, 503, 529]);

/**
 * Reads an error of the usual clients: one with an HTTP `status` (or `statusCode`) is an answer. 429, 503 and 529 (which model
 * providers use) are a service that does not keep up; 408 too, but what that used is not known; another 4xx is the caller's own fault. Without a status, a
 * time-out is `overloaded`, and the rest speaks against the service.
 */
export function verdictOn(error: unknown): Verdict {
  const { status, statusCode, name } = (error ?? {}) as { status?: unknown; statusCode?: unknown; name?: unknown };
  const answered = [status, statusCode].find((value): value is number => Number.isInteger(value));
  if (answered === undefined) return { outcome: isTimeout(name) ? "overloaded" : "failed", refused: false };
  if (REFUSED_FOR_LOAD.has(answered)) return { outcome: "overloaded", refused: true };
  if (answered === 408 || answered === 504) return { outcome: "overloaded", refused: false };
  if (answered >= 400 && answered < 500) return { outcome: "rejected", refused: true };
  return { outcome: "failed", refused: false };
}

function isTimeout(name: unknown): boolean {
  return typeof name === "string" && /Timeout/.test(name);
}
