import { startAdaptive } from "../machines/adaptive.js";
import { closedBreaker } from "../machines/breaker.js";
import { newGate, type Gate, type Limits } from "../machines/gate.js";
import type { Refusal, RefusalReason } from "../machines/permit.js";
import type { Turn } from "../machines/turn.js";
import type { ServiceView } from "../store.js";
import { viewOf } from "../view.js";

/** What scripts/permit.lua answers. */
export function decisionOf([status, ...rest]: readonly string[]): Turn["decision"] {
  if (status === "granted") {
    const [attempt, grantedAt, ...numbers] = rest.map(Number);
    const passes = pairs(numbers).map(([epoch, round]) => ({ epoch, round }));
    return { status, attempt: attempt!, grantedAt: grantedAt!, passes };
  }
  if (status === "waiting") return { status, retryAfterMs: msOf(rest[0]!) };
  const [reason, scope, wait] = rest;
  return {
    status: "refused",
    reason: reason as RefusalReason,
    scope: scope as Refusal["scope"],
    retryAfterMs: msOf(wait!),
  };
}

/** What scripts/show.lua answers. */
export type Seen = readonly [...figures: string[], waiting: readonly string[], holders: readonly string[]];

export function seenIn(answer: Seen, limits: Limits): ServiceView {
  const [time, inFlight, level, at, openUntil, limit] = answer.slice(1, -2) as string[];
  const [waiting, holders] = answer.slice(-2) as [string[], string[]];
  const gate: Gate = {
    ...newGate(),
    bucket: level === "" ? null : { level: Number(level), at: Number(at) },
    breaker: { ...closedBreaker(), openUntil: openUntil === "0" ? null : Number(openUntil) },
    adaptive: { ...startAdaptive(), ...(limit !== "" && { limit: Number(limit) }) },
  };
  const counted = { inFlight: Number(inFlight), waiting: byTenant(waiting), holders: byTenant(holders) };
  return viewOf(gate, limits, counted, Number(time));
}

function byTenant(counts: readonly string[]): Record<string, number> {
  return Object.fromEntries(pairs(counts).map(([tenant, count]) => [decodeURIComponent(tenant), Number(count)]));
}

function msOf(text: string): number | null {
  return text === "" ? null : Number(text);
}

function pairs<T>(values: readonly T[]): [T, T][] {
  return Array.from({ length: values.length / 2 }, (_, i) => [values[2 * i]!, values[2 * i + 1]!]);
}
