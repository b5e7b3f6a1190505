/** How long an allowance counts before it starts anew. */
export type Period = "none" | "hour" | "day" | "week" | "month";

export const PERIODS: readonly Period[] = ["none", "hour", "day", "week", "month"];

/** One period window: from `start` (inclusive) to `end` (exclusive), milliseconds since 1970 UTC; null for `none`. */
export interface Window {
  /** `none`, or `<period>@<start>`, the start as RFC 3339 UTC. */
  readonly id: string;
  readonly start: number | null;
  readonly end: number | null;
}

const NONE: Window = { id: "none", start: null, end: null };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** True for a name of the IANA time zone database that this runtime knows; newer ones also take offsets, "+05:30". */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatter(name);
    return true;
  } catch {
    return false;
  }
}

const current = new Map<string, Window>();

/**
 * The window of `period` in `timeZone` that `now` lies in. Days, weeks (from Monday) and months begin at the first
 * instant of their first day in that zone, so a day may be 23 or 25 hours long.
 */
export function windowAt(period: Period, timeZone: string, now: number): Window {
  if (period === "none") return NONE;
  const memo = `${period} ${timeZone}`;
  const known = current.get(memo);
  if (known && known.start! <= now && now < known.end!) return known;
  const [start, end] = period === "hour" ? hourBounds(timeZone, now) : dateBounds(period, timeZone, now);
  const window: Window = { id: `${period}@${new Date(start).toISOString()}`, start, end };
  if (current.size > 1_000) current.clear();
  current.set(memo, window);
  return window;
}

function hourBounds(timeZone: string, now: number): [number, number] {
  const start = now - modulo(now + offsetAt(timeZone, now), HOUR);
  const end = start + HOUR;
  return [shiftWithin(timeZone, start, now) ?? start, shiftWithin(timeZone, now, end) ?? end];
}

/**
 * When clocks moved after `from`, up to `to`, by other than whole hours: there the old clock's hour ends and the new
 * clock's begins, or the two would overlap.
 */
function shiftWithin(timeZone: string, from: number, to: number): number | undefined {
  const offset = offsetAt(timeZone, from);
  if (modulo(offsetAt(timeZone, to) - offset, HOUR) === 0) return undefined;
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(timeZone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** A calendar date as the UTC midnight of the same date, so that dates can be counted in days. */
type CalendarDate = number;

function dateBounds(period: "day" | "week" | "month", timeZone: string, now: number): [number, number] {
  let first = firstDate(period, dateAt(timeZone, now));
  // Where clocks go back across midnight a date is left and entered again: the first entry begins the window.
  while (now >= startOf(timeZone, nextDate(period, first))) first = nextDate(period, first);
  while (now < startOf(timeZone, first)) first = firstDate(period, first - DAY);
  return [startOf(timeZone, first), startOf(timeZone, nextDate(period, first))];
}

function firstDate(period: "day" | "week" | "month", date: CalendarDate): CalendarDate {
  if (period === "day") return date;
  const day = new Date(date);
  // getUTCDay counts from Sunday; a week here begins on Monday.
  if (period === "week") return date - modulo(day.getUTCDay() - 1, 7) * DAY;
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
}

function nextDate(period: "day" | "week" | "month", first: CalendarDate): CalendarDate {
  if (period === "day") return first + DAY;
  if (period === "week") return first + 7 * DAY;
  const day = new Date(first);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
}

function dateAt(timeZone: string, instant: number): CalendarDate {
  const local = instant + offsetAt(timeZone, instant);
  return local - modulo(local, DAY);
}

/** The first instant of a date in a zone: midnight, or the end of the gap where clocks skip midnight. */
function startOf(timeZone: string, date: CalendarDate): number {
  const before = offsetAt(timeZone, date - DAY);
  const after = offsetAt(timeZone, date + DAY);
  const candidates = [date - before, date - after].sort((a, b) => a - b);
  const midnight = candidates.find((instant) => instant + offsetAt(timeZone, instant) === date);
  return midnight ?? date - before;
}

/** Milliseconds that local time is ahead of UTC. */
function offsetAt(timeZone: string, instant: number): number {
  const second = instant - modulo(instant, 1_000);
  const part: Record<string, number> = {};
  for (const { type, value } of formatter(timeZone).formatToParts(second)) part[type] = Number(value);
  const local = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second);
  return local - second;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  let known = formatters.get(timeZone);
  if (!known) {
    known = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formatters.set(timeZone, known);
  }
  return known;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
