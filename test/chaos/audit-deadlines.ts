import { finding, type Finding } from "./findings.js";
import { groupBy } from "./group.js";
import type { ReservationRow, TenantRecord } from "./tenant-record.js";

/** How late a sweep may be after its interval on a busy machine, milliseconds. */
const SLACK_MS = 1_500;
/** In what was disturbed a sweep was late already before the disturbance showed. */
const LEAD_MS = 1_000;
/** After so many intervals a timer has taken over from a sweep that did not run, and swept. */
const TAKEOVER_INTERVALS = 3;

/** Times on the clock of the record, milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * No open reservation outlives its deadline by more than one sweep. It is held to that where nothing that a sweep needs,
 * a reconciler or PostgreSQL, was disturbed; whatever is left at rest must be closed in any case.
 */
export class DeadlineAudit {
  readonly findings: Finding[] = [];
  /** Reservations that ran out in quiet times. */
  judged = 0;
  private readonly boundMs: number;
  /** From the end of a disturbance until sweeps have caught up. */
  private readonly takeoverMs: number;

  constructor(
    sweepIntervalMs: number,
    private readonly disturbances: readonly Span[],
  ) {
    this.boundMs = sweepIntervalMs + SLACK_MS;
    this.takeoverMs = TAKEOVER_INTERVALS * sweepIntervalMs;
  }

  add(name: string, { now, reservations, entries }: TenantRecord): void {
    const expiries = groupBy(
      entries.filter(({ type }) => type === "expire"),
      ({ reservationId }) => reservationId,
    );
    for (const reservation of reservations.values()) {
      // A late settlement writes its own time over that of the expiry.
      const closedAt = expiries.get(reservation.id)?.[0]?.at ?? reservation.closedAt ?? Infinity;
      const fault = this.faultOf(reservation, closedAt, now);
      if (fault !== null) this.findings.push(finding("other", `${name}: reservation ${reservation.id} ${fault}`));
    }
  }

  private faultOf({ state, expiresAt }: ReservationRow, closedAt: number, now: number): string | null {
    if (state === "expired" && closedAt < expiresAt) return "expired before its deadline";
    if (closedAt < expiresAt || now <= expiresAt + this.boundMs) return null;
    const isQuiet = this.isQuiet({ from: expiresAt - LEAD_MS, to: expiresAt + this.boundMs });
    if (isQuiet) this.judged += 1;
    const lateBy = Math.round(Math.min(closedAt, now) - expiresAt);
    const isLate = isQuiet ? lateBy > this.boundMs : state === "open" && lateBy > this.boundMs + this.takeoverMs;
    return isLate ? `was open ${lateBy} ms past its deadline` : null;
  }

  /** Until the bound and not until it was closed: what is late must not be excused by what came later still. */
  private isQuiet({ from, to }: Span): boolean {
    return this.disturbances.every((one) => to < one.from || one.to + this.takeoverMs < from);
  }
}
