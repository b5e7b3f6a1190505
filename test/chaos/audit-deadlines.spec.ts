import { DeadlineAudit, type Span } from "./audit-deadlines.js";
import type { EntryRow, ReservationRow, TenantRecord } from "./tenant-record.js";

const DEADLINE = 100_000;
const SWEEP_INTERVAL_MS = 1_000;

/** A record with one reservation, which was closed so long after its deadline; null: it is open. */
function recordOf(lateMs: number | null, { settled = false, now = DEADLINE + 60_000 } = {}): TenantRecord {
  const sweptAt = lateMs === null ? null : DEADLINE + lateMs;
  const reservation: ReservationRow = {
    ...{
      id: "rsv_1",
      jobId: "job_1",
      reserved: { tokens: 1 },
      held: { tokens: 0 },
      actual: null,
      keys: [],
      service: null,
      serviceKeys: [],
    },
    ...{ createdAt: DEADLINE - 1_000, expiresAt: DEADLINE },
    state: sweptAt === null ? "open" : settled ? "settled" : "expired",
    closedAt: settled ? now : sweptAt,
  };
  const entry = { seq: 1, unit: "tokens", reserved: -1, spent: 0, keys: [], reservationId: "rsv_1", detail: null };
  const entries: EntryRow[] = sweptAt === null ? [] : [{ ...entry, type: "expire", at: sweptAt }];
  const none = { jobs: new Map(), answers: new Map(), balances: new Map(), attempts: [] };
  return { id: "ten_1", now, state: "active", reservations: new Map([["rsv_1", reservation]]), entries, ...none };
}

function auditOf(record: TenantRecord, ...disturbances: Span[]): { said: string[]; judged: number } {
  const audit = new DeadlineAudit(SWEEP_INTERVAL_MS, disturbances);
  audit.add("one", record);
  return { said: audit.findings.map(({ what }) => what), judged: audit.judged };
}

const late = (ms: number) => [`one: reservation rsv_1 was open ${ms} ms past its deadline`];

describe("the auditor of deadlines", () => {
  it("says nothing about a sweep that came in time", () => {
    expect(auditOf(recordOf(2_500))).toEqual({ said: [], judged: 1 });
  });

  it("sees a sweep that came later than one interval and the slack", () => {
    expect(auditOf(recordOf(2_501))).toEqual({ said: late(2_501), judged: 1 });
  });

  it("sees it though the reservation was settled after the sweep", () => {
    expect(auditOf(recordOf(2_501, { settled: true })).said).toEqual(late(2_501));
  });

  it("sees a reservation that is still open", () => {
    expect(auditOf(recordOf(null, { now: DEADLINE + 3_000 })).said).toEqual(late(3_000));
  });

  it("sees an expiry before the deadline", () => {
    expect(auditOf(recordOf(-1)).said).toEqual(["one: reservation rsv_1 expired before its deadline"]);
  });

  it.each([
    ["lay round the deadline", DEADLINE - 5_000, DEADLINE + 5_000],
    ["ended less than a takeover before", DEADLINE - 5_000, DEADLINE - 4_000],
    ["began before the bound", DEADLINE + 2_500, DEADLINE + 2_600],
  ])("judges nothing where a disturbance %s", (_, from, to) => {
    expect(auditOf(recordOf(8_000), { from, to })).toEqual({ said: [], judged: 0 });
  });

  it.each([
    ["that began after the bound", DEADLINE + 2_501, DEADLINE + 9_000],
    ["that was over long before", DEADLINE - 6_000, DEADLINE - 4_001],
  ])("excuses nothing by a disturbance %s", (_, from, to) => {
    expect(auditOf(recordOf(8_000), { from, to })).toEqual({ said: late(8_000), judged: 1 });
  });

  it("excuses nothing that stays open at rest", () => {
    const disturbance = { from: DEADLINE, to: DEADLINE + 1 };
    expect(auditOf(recordOf(null), disturbance).said).toEqual(late(60_000));
  });
});
