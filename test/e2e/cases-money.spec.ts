import { startHoldfast, type Holdfast } from "../support/http.js";

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

it("books what was used above the hold in full, and denies what comes next until the limit rises", async () => {
  const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
  const settled = await tenant.settle(await tenant.openReservation({ tokens: 50 }), 180);
  expect(settled.status).toBe(200);
  expect(await tenant.balance()).toMatchObject({ spent: 180, reserved: 0, available: 0, overage: 80 });
  const job = await tenant.job();
  expect((await tenant.reserve(job, 1)).body.code).toBe("allowance_exhausted");
  await tenant.setLimit(181);
  expect((await tenant.reserve(job, 2)).status).toBe(402);
  const last = await tenant.reserve(job, 1);
  expect(last.status).toBe(201);
  await tenant.release(last.body.id);
  expect(await tenant.balance()).toMatchObject({ limit: 181, spent: 180, reserved: 0, available: 1 });
  await tenant.expectAtRest();
});

it("refuses for good, holds nothing and leaves others alone when a request can never fit", async () => {
  const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
  const job = await tenant.job();
  const denied = await tenant.reserve(job, 150);
  expect(denied).toMatchObject({ status: 402, body: { code: "exceeds_limit", retryable: false } });
  expect(denied.headers.get("retry-after")).toBeNull();
  expect(denied.headers.get("x-should-retry")).toBe("false");
  expect(await tenant.balance()).toMatchObject({ reserved: 0, available: 100 });
  await tenant.settle(await tenant.openReservation({ tokens: 100 }), 100);
  await tenant.expectAtRest();
});
