import type { Reservation } from "../api/types.js";

type Times = Pick<Reservation, "createdAt" | "closedAt" | "expiresAt" | "state">;

/** Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the first reservation to the last end, or to now where one is open. */
export function spanOf(reservations: readonly Times[], now: number): Span {
  if (reservations.length === 0) return { from: now, to: now };
  const from = Math.min(...reservations.map(({ createdAt }) => Date.parse(createdAt)));
  const to = Math.max(...reservations.map((one) => endOf(one, now)));
  return { from, to: Math.max(to, from + 1) };
}

/** Where it lies in the span. */
export function placeOf(times: Times, span: Span, now: number): { left: string; width: string } {
  const begin = share(Date.parse(times.createdAt), span);
  return { left: `${begin}%`, width: `${Math.max(0, share(endOf(times, now), span) - begin)}%` };
}

/** Of an instant in the span, 0 to 100. */
export function share(instant: number, { from, to }: Span): number {
  return Math.min(100, Math.max(0, (100 * (instant - from)) / (to - from)));
}

function endOf({ closedAt, expiresAt, state }: Times, now: number): number {
  if (closedAt !== undefined) return Date.parse(closedAt);
  // An expired one that was not settled since has no other end than its deadline.
  return state === "open" ? now : Date.parse(expiresAt);
}
