import type { ClosedAs, Counts } from "#libs/client";

/** Tokens that an attempt is planned with, and attempts of an item. */
export const PLANNED = 10;
export const ATTEMPTS = 3;

/** What a process of the soak is to do. */
export interface Order {
  readonly url: string;
  readonly key: string;
  readonly items: number;
  readonly seed: number;
  /** Where it writes what its attempts used. */
  readonly log: string;
  readonly journal: string;
  readonly ttlMs: number;
  readonly abortAfterMs: number | null;
}

export interface Use {
  readonly kind: "use";
  readonly reservationId: string;
  readonly child: number;
  readonly attempt: number;
  readonly tokens: number;
}

export interface End {
  readonly kind: "end";
  readonly reservationId: string | undefined;
  readonly tokens: number;
  readonly counts: Counts;
  readonly closed: ClosedAs | null;
  /** What it used could neither be told nor kept. */
  readonly left: boolean;
}

export interface Replay {
  readonly kind: "replayed";
  readonly told: readonly string[];
  readonly refused: number;
}

export type Line = Use | End | Replay;
