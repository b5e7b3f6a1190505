import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

const MS = 1;
const HOUR = 3_600_000;

let holdfast: Holdfast;

beforeAll(async () => {
  // Where the process runs does not matter: only the zone of the allowance does.
  holdfast = await startHoldfast({ TZ: "Pacific/Kiritimati" });
});
afterAll(() => holdfast.stop());

interface Boundary {
  readonly what: string;
  readonly period: string;
  readonly timeZone: string;
  /** The first instant of the later window. */
  readonly at: string;
  /** The first instant of the earlier one. */
  readonly from: string;
}

const BOUNDARIES: readonly Boundary[] = [
  { what: "a day in UTC", period: "day", timeZone: "UTC", from: "2027-01-30T00:00:00Z", at: "2027-01-31T00:00:00Z" },
  {
    what: "a day in India",
    period: "day",
    timeZone: "Asia/Kolkata",
    from: "2027-02-08T18:30:00Z",
    at: "2027-02-09T18:30:00Z",
  },
  {
    what: "a day of 23 hours",
    period: "day",
    timeZone: "Europe/Berlin",
    from: "2027-03-27T23:00:00Z",
    at: "2027-03-28T22:00:00Z",
  },
  {
    what: "a day of 25 hours",
    period: "day",
    timeZone: "Europe/Berlin",
    from: "2027-10-30T22:00:00Z",
    at: "2027-10-31T23:00:00Z",
  },
  {
    what: "a month from January to February",
    period: "month",
    timeZone: "America/St_Johns",
    from: "2028-01-01T03:30:00Z",
    at: "2028-02-01T03:30:00Z",
  },
  {
    what: "a February of 29 days",
    period: "month",
    timeZone: "UTC",
    from: "2028-02-01T00:00:00Z",
    at: "2028-03-01T00:00:00Z",
  },
  {
    what: "a week, on Monday",
    period: "week",
    timeZone: "UTC",
    from: "2028-03-06T00:00:00Z",
    at: "2028-03-13T00:00:00Z",
  },
  {
    what: "an hour",
    period: "hour",
    timeZone: "Asia/Kolkata",
    from: "2028-04-01T09:30:00Z",
    at: "2028-04-01T10:30:00Z",
  },
];

const windowFrom = ({ period }: Boundary, from: string) => `${period}@${from}`;

async function withAllowance({ period, timeZone }: Boundary): Promise<{ tenant: HttpTenant; jobId: string }> {
  const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100, period, timeZone } } });
  return { tenant, jobId: await tenant.job() };
}

describe("windows turn in the time zone of the allowance, by the record's clock", () => {
  it.each(BOUNDARIES)("$what", async (boundary) => {
    const turn = Date.parse(boundary.at);
    await holdfast.freezeClock(turn - MS);
    const { tenant, jobId } = await withAllowance(boundary);
    const before = await tenant.openReservation({ jobId, tokens: 100, ttlMs: 24 * HOUR });
    expect((await tenant.reserve(jobId, 1)).status).toBe(402);
    const earlier = await tenant.balance();
    expect(Date.parse(earlier.window.split("@")[1]!)).toBe(Date.parse(boundary.from));

    await holdfast.freezeClock(turn);
    expect(await tenant.balance()).toMatchObject({ limit: 100, reserved: 0, spent: 0, available: 100 });
    const after = await tenant.openReservation({ jobId, tokens: 100, ttlMs: 24 * HOUR });
    const later = await tenant.balance();
    expect(later.window).not.toBe(earlier.window);
    expect(Date.parse(later.window.split("@")[1]!)).toBe(turn);
    expect(later.window.startsWith(windowFrom(boundary, ""))).toBe(true);

    await tenant.settle(before, 120);
    expect(await tenant.balance()).toMatchObject({ window: later.window, reserved: 100, spent: 0, available: 0 });
    await tenant.settle(after, 70);
    expect((await tenant.reserve(jobId, 31)).status).toBe(402);
    const windows = await tenant.balances("tenant", "all");
    expect(windows.find(({ window }) => window === earlier.window)).toMatchObject({
      reserved: 0,
      spent: 120,
      overage: 20,
    });
    expect(windows.find(({ window }) => window === later.window)).toMatchObject({
      reserved: 0,
      spent: 70,
      available: 30,
    });
    await tenant.expectAtRest();
  });
});
