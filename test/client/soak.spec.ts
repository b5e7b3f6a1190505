import { startHoldfast, type Holdfast } from "../support/http.js";
import { soak } from "./soak/soak.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast({ HOLDFAST_RETRY_RATIO: "off" });
}, 60_000);
afterAll(() => holdfast?.stop());

it("books what was used, exactly, and leaves nothing reserved, whatever throws, hangs, aborts, is killed or is lost on the way", async () => {
  const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000_000 } } });
  const options = { items: 300, itemsPerProcess: 60, lanes: 2, ttlMs: 5_000, seed: 7 };
  const { findings, killed, aborted, counts } = await soak({ url: holdfast.url, key: tenant.key }, options);
  expect(findings).toEqual([]);
  expect(Math.min(killed, aborted)).toBeGreaterThan(0);
  expect(counts["done"]).toBeGreaterThan(200);
  await tenant.expectAtRest();
}, 120_000);
