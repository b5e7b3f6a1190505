import { setTimeout as sleep } from "node:timers/promises";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { fresh } from "../support/commands.js";
import { eventually } from "../support/record.js";

const ROUNDS = 100;
/** What a client that goes away reserves; the other one reserves 1. */
const HELD = 10;
const TTL_MS = 1_000;
const SWEEP_MS = 500;
/** For a machine that is busy with other tests. */
const GRACE_MS = 1_000;

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await startHoldfast({ HOLDFAST_SWEEP_INTERVAL_MS: String(SWEEP_MS) });
}, 60_000);
afterAll(() => holdfast?.stop());

/** Sends a POST and goes away after so many milliseconds; null when that was before the answer. */
async function posted(
  { key }: HttpTenant,
  path: string,
  body: object,
  afterMs: number,
): Promise<{ id: string } | null> {
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), afterMs);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": fresh("K") };
  try {
    const answer = await fetch(holdfast.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    return (await answer.json()) as { id: string };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Goes away in the reserve, between reserve and settle, or in the settle; answers how far it came. */
async function abandon(
  tenant: HttpTenant,
  jobId: string,
  round: number,
): Promise<"reserving" | "holding" | "settling"> {
  const inReserve = round % 3 === 0;
  const ask = { amounts: { tokens: HELD }, ttlMs: TTL_MS };
  const held = await posted(tenant, `/v1/jobs/${jobId}/reservations`, ask, inReserve ? (round * 7) % 12 : 10_000);
  if (held === null) return "reserving";
  if (round % 3 === 1) return "holding";
  await posted(tenant, `/v1/reservations/${held.id}/settle`, { actual: { tokens: 4 } }, (round * 5) % 12);
  return "settling";
}

/** How many of the reservations of the clients that went away are so. */
async function count({ id }: HttpTenant, condition: string): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM reservations WHERE tenant_id = $1 AND reserved->>'tokens' = '${HELD}' AND ${condition}`;
  return (await holdfast.record.query<{ n: number }>(sql, [id])).rows[0]!.n;
}

describe("clients that go away in the middle of a request", () => {
  it("hold nothing after the deadline and one sweep, while another client keeps the tenant busy", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000_000 } } });
    const jobId = await tenant.job();
    let over = false;
    const steady = (async () => {
      for (; !over; await sleep(5)) {
        const id = await tenant.openReservation({ jobId, tokens: 1 });
        expect((await tenant.settle(id, 1)).status).toBe(200);
      }
    })();
    const ways: string[] = [];
    for (let round = 0; round < ROUNDS; round += 5) {
      const five = Array.from({ length: 5 }, (_, i) => abandon(tenant, jobId, round + i));
      ways.push(...(await Promise.all(five)));
    }
    expect(new Set(ways)).toEqual(new Set(["reserving", "holding", "settling"]));

    expect(await count(tenant, "state <> 'settled'")).toBeGreaterThanOrEqual(Math.floor(ROUNDS / 3));
    await sleep(TTL_MS + SWEEP_MS);
    await eventually(async () => (await count(tenant, "state = 'open'")) === 0, GRACE_MS);
    over = true;
    await steady;
    expect(await tenant.balance()).toMatchObject({ reserved: 0 });
    await tenant.expectAtRest();
  });
});
