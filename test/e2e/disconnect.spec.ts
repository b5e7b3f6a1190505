import { setTimeout as delay } from "node:timers/promises";
import { startProcess, tenantWithJob, type HoldfastProcess } from "../support/program.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";

const ROUNDS = 100;
const TTL_MS = 1_000;
const SWEEP_MS = 500;

let database: FreshDatabase;
let holdfast: HoldfastProcess;

beforeAll(async () => {
  database = await freshDatabase();
  holdfast = await startProcess({
    HOLDFAST_DATABASE_URL: database.url,
    HOLDFAST_REDIS_URL: redisUrl(),
    HOLDFAST_SWEEP_INTERVAL_MS: String(SWEEP_MS),
  });
});
afterAll(async () => {
  await holdfast?.end("SIGTERM");
  await database?.drop();
});

it("leaves nothing held for clients that go away at any moment, while others go on", async () => {
  const { key, job } = await tenantWithJob(holdfast, 1_000);
  const tokens = { amounts: { units: 10 }, ttlMs: TTL_MS };
  const abandoned = Array.from({ length: ROUNDS }, async (_, i) => {
    // Spread from before the request is read to after it is answered; a seeded spread, so that each run is the same.
    const signal = AbortSignal.timeout((i * 7) % 40);
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `gone-${i}`,
    };
    const url = `${holdfast.url}/v1/jobs/${job}/reservations`;
    await fetch(url, { method: "POST", headers, body: JSON.stringify(tokens), signal }).catch(() => undefined);
  });
  let going = true;
  let steady = 0;
  const others = async () => {
    while (going) {
      const held = await holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, tokens, `steady-${++steady}`);
      if (held.status !== 201) continue;
      await holdfast.call(key, "POST", `/v1/reservations/${held.body["id"] as string}/settle`, {
        actual: { units: 0 },
      });
    }
  };
  const traffic = others();
  await Promise.all(abandoned);
  const reserved = async () =>
    (await holdfast.call(key, "GET", "/v1/balances")).body["data"][0] as { reserved: number; spent: number };
  // Steady traffic holds at most one reservation of 10 at a time.
  const deadline = performance.now() + TTL_MS + SWEEP_MS + 3_000;
  while ((await reserved()).reserved > 10) {
    expect(performance.now()).toBeLessThan(deadline);
    await delay(20);
  }
  going = false;
  await traffic;
  expect(await reserved()).toMatchObject({ reserved: 0, spent: 0 });
});
