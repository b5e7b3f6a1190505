import fc from "fast-check";
import { isTimeZone, PERIODS, windowAt as remembered, type Period, type Window } from "./window.js";

const HOUR = 3_600_000;
/** The window as a process finds it that was not asked for this zone before: the last window is remembered. */
const windowAt = (period: Period, timeZone: string, now: number): Window => {
  remembered(period, timeZone, now + 40 * 24 * HOUR);
  return remembered(period, timeZone, now);
};
const at = (text: string) => Date.parse(text);
const iso = (instant: number | null) => new Date(instant!).toISOString();
const bounds = (period: Period, timeZone: string, now: string) => {
  const { start, end } = windowAt(period, timeZone, at(now));
  return [iso(start), iso(end)];
};
const hours = (period: Period, timeZone: string, now: string) => {
  const { start, end } = windowAt(period, timeZone, at(now));
  return (end! - start!) / HOUR;
};

describe("a window", () => {
  it("is the same whatever was asked before", () => {
    const now = at("2026-05-12T12:00:00Z");
    const first = windowAt("day", "Asia/Kolkata", now);
    expect(remembered("day", "Asia/Kolkata", first.end!).start).toBe(first.end);
    expect(remembered("day", "Asia/Kolkata", now)).toEqual(first);
  });

  it("without a period is one for all time", () => {
    expect(windowAt("none", "Asia/Kolkata", 0)).toEqual({ id: "none", start: null, end: null });
  });

  it("is named by its period and its start in UTC, milliseconds included", () => {
    expect(windowAt("day", "Asia/Kolkata", at("2026-05-12T12:00:00Z")).id).toBe("day@2026-05-11T18:30:00.000Z");
  });

  it.each([
    ["UTC", "2026-05-12T00:00:00.000Z", "2026-05-13T00:00:00.000Z"],
    ["Asia/Kolkata", "2026-05-11T18:30:00.000Z", "2026-05-12T18:30:00.000Z"],
    ["America/St_Johns", "2026-05-12T02:30:00.000Z", "2026-05-13T02:30:00.000Z"],
    ["Pacific/Kiritimati", "2026-05-12T10:00:00.000Z", "2026-05-13T10:00:00.000Z"],
    ["Pacific/Pago_Pago", "2026-05-12T11:00:00.000Z", "2026-05-13T11:00:00.000Z"],
  ])("of a day in %s holds its first and its last millisecond, and nothing beyond", (timeZone, start, end) => {
    const window = windowAt("day", timeZone, at(start));
    expect([iso(window.start), iso(window.end)]).toEqual([start, end]);
    expect(windowAt("day", timeZone, at(end) - 1)).toEqual(window);
    expect(windowAt("day", timeZone, at(start) - 1).end).toBe(window.start);
    expect(windowAt("day", timeZone, at(end)).start).toBe(window.end);
  });

  it("of an hour begins on the full hour of the zone's clock", () => {
    expect(bounds("hour", "Asia/Kolkata", "2026-05-12T12:29:59.999Z")).toEqual([
      "2026-05-12T11:30:00.000Z",
      "2026-05-12T12:30:00.000Z",
    ]);
    expect(bounds("hour", "Asia/Kolkata", "2026-05-12T12:30:00.000Z")).toEqual([
      "2026-05-12T12:30:00.000Z",
      "2026-05-12T13:30:00.000Z",
    ]);
    expect(bounds("hour", "Asia/Kathmandu", "2026-05-12T12:00:00.000Z")).toEqual([
      "2026-05-12T11:15:00.000Z",
      "2026-05-12T12:15:00.000Z",
    ]);
  });

  it("of a week runs from Monday to Monday", () => {
    const week = ["2026-05-11T00:00:00.000Z", "2026-05-18T00:00:00.000Z"];
    expect(bounds("week", "UTC", "2026-05-11T00:00:00.000Z")).toEqual(week);
    expect(bounds("week", "UTC", "2026-05-17T23:59:59.999Z")).toEqual(week);
    expect(bounds("week", "UTC", "2026-01-01T00:00:00.000Z")).toEqual([
      "2025-12-29T00:00:00.000Z",
      "2026-01-05T00:00:00.000Z",
    ]);
    expect(bounds("week", "Pacific/Kiritimati", "2026-05-10T10:00:00.000Z")[0]).toBe("2026-05-10T10:00:00.000Z");
  });
});

describe("a month", () => {
  it("after 31 January is the whole of February", () => {
    expect(bounds("month", "UTC", "2026-01-31T23:59:59.999Z")).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-02-01T00:00:00.000Z",
    ]);
    expect(bounds("month", "UTC", "2026-02-01T00:00:00.000Z")).toEqual([
      "2026-02-01T00:00:00.000Z",
      "2026-03-01T00:00:00.000Z",
    ]);
  });

  it("holds 29 February of a leap year", () => {
    expect(bounds("month", "UTC", "2028-02-29T23:59:59.999Z")).toEqual([
      "2028-02-01T00:00:00.000Z",
      "2028-03-01T00:00:00.000Z",
    ]);
    expect(bounds("day", "UTC", "2028-02-29T12:00:00.000Z")).toEqual([
      "2028-02-29T00:00:00.000Z",
      "2028-03-01T00:00:00.000Z",
    ]);
  });

  it("turns with the zone's clock, over the end of a year too", () => {
    expect(bounds("month", "Asia/Kolkata", "2026-12-31T18:29:59.999Z")[1]).toBe("2026-12-31T18:30:00.000Z");
    expect(bounds("month", "Asia/Kolkata", "2026-12-31T18:30:00.000Z")).toEqual([
      "2026-12-31T18:30:00.000Z",
      "2027-01-31T18:30:00.000Z",
    ]);
  });

  it("is an hour shorter or longer where clocks change within it", () => {
    expect(hours("month", "America/New_York", "2026-03-15T12:00:00Z")).toBe(31 * 24 - 1);
    expect(hours("month", "America/New_York", "2026-11-15T12:00:00Z")).toBe(30 * 24 + 1);
  });
});

describe("a day on which clocks change", () => {
  it("has 23 hours in spring and 25 in autumn", () => {
    expect(hours("day", "America/New_York", "2026-03-08T12:00:00Z")).toBe(23);
    expect(hours("day", "America/New_York", "2026-11-01T12:00:00Z")).toBe(25);
    expect(hours("day", "Australia/Lord_Howe", "2026-04-05T03:00:00Z")).toBe(24.5);
    expect(hours("week", "America/New_York", "2026-03-08T12:00:00Z")).toBe(7 * 24 - 1);
  });

  // Clocks went from 00:00 to 01:00: these days began at 01:00.
  it.each([
    ["America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T03:00:00.000Z"],
    ["Asia/Beirut", "2026-03-29T12:00:00Z", "2026-03-28T22:00:00.000Z"],
    ["Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-23T22:00:00.000Z"],
  ])("without a midnight in %s begins where the gap ends", (timeZone, noon, start) => {
    expect(bounds("day", timeZone, noon)[0]).toBe(start);
    expect(hours("day", timeZone, noon)).toBe(23);
    expect(windowAt("day", timeZone, at(start) - 1).end).toBe(at(start));
  });

  // Clocks went from midnight back to 23:00: the day before has 25 hours and midnight comes once.
  it.each([
    ["America/Sao_Paulo", "2018-02-17T12:00:00Z", "2018-02-18T03:00:00.000Z"],
    ["Asia/Beirut", "2026-10-24T12:00:00Z", "2026-10-24T22:00:00.000Z"],
    ["Africa/Cairo", "2026-10-29T12:00:00Z", "2026-10-29T22:00:00.000Z"],
  ])("whose last hour comes twice in %s holds both", (timeZone, noon, end) => {
    expect(bounds("day", timeZone, noon)[1]).toBe(end);
    expect(hours("day", timeZone, noon)).toBe(25);
  });

  it("that is left and entered again begins once, at its first entry", () => {
    // St John's, 2010: at 00:01 of the 7th clocks went back to 23:01 of the 6th.
    const seventh = windowAt("day", "America/St_Johns", at("2010-11-07T12:00:00Z"));
    expect(iso(seventh.start)).toBe("2010-11-07T02:30:00.000Z");
    expect(windowAt("day", "America/St_Johns", at("2010-11-07T02:45:00Z"))).toEqual(seventh);
  });

  it("that a zone left out altogether leaves no gap", () => {
    // Samoa went from 29 to 31 December 2011.
    const before = windowAt("day", "Pacific/Apia", at("2011-12-30T09:59:59.999Z"));
    const after = windowAt("day", "Pacific/Apia", at("2011-12-30T10:00:00.000Z"));
    expect([iso(before.start), iso(before.end)]).toEqual(["2011-12-29T10:00:00.000Z", "2011-12-30T10:00:00.000Z"]);
    expect(after.start).toBe(before.end);
  });
});

const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");
const instant = fc.integer({ min: at("1970-01-02T00:00:00Z"), max: at("2060-01-01T00:00:00Z") });
const period = fc.constantFrom(...PERIODS.filter((one) => one !== "none"));

describe("windows of one period in one zone", () => {
  it("part time: each instant lies in one, and the next begins where it ends", () => {
    fc.assert(
      fc.property(period, zone, instant, (one, timeZone, now) => {
        const window = windowAt(one, timeZone, now);
        expect(window.start! <= now && now < window.end!).toBe(true);
        expect(windowAt(one, timeZone, window.end!).start).toBe(window.end);
        for (const within of [window.start!, window.end! - 1]) expect(windowAt(one, timeZone, within)).toEqual(window);
      }),
      { numRuns: 2_000 },
    );
  });

  it("part time on the days on which half-hour clocks change, by the hour as well", () => {
    for (const change of ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"]) {
      for (const minutes of [-61, -31, -30, -1, 0, 1, 29, 30, 31, 61]) {
        const now = at(change) + minutes * 60_000;
        const window = windowAt("hour", "Australia/Lord_Howe", now);
        expect(window.start! <= now && now < window.end!).toBe(true);
        expect(windowAt("hour", "Australia/Lord_Howe", window.start!)).toEqual(window);
        expect(windowAt("hour", "Australia/Lord_Howe", window.end!).start).toBe(window.end);
      }
    }
  });

  it("begin a day where the zone's calendar turns to it", () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, now) => {
        const date = (when: number) => new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(when);
        const { start, end } = windowAt("day", timeZone, now);
        expect(date(start! - 1)).not.toBe(date(start!));
        expect(date(end! - 1)).not.toBe(date(end!));
      }),
      { numRuns: 200 },
    );
  });
});

describe("time zones", () => {
  it.each(["UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Europe/Kyiv"])("know %s", (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(["", "Mars/Olympus", "UTC ", "+05:30", "GMT+1", "constructor", "../UTC"])("do not know %p", (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
