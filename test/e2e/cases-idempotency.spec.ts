import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

describe("one idempotency key, one effect", () => {
  let holdfast: Holdfast;
  let tenant: HttpTenant;
  let job: string;

  beforeAll(async () => {
    holdfast = await startHoldfast();
  });
  afterAll(() => holdfast.stop());
  beforeEach(async () => {
    tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    job = await newJob(tenant);
  });

  const newJob = async (of: HttpTenant): Promise<string> => {
    const { body } = await of.call("POST", "/v1/jobs", {}, { "idempotency-key": `job-${Math.random()}` });
    return body.id;
  };
  const reserve = (key: string, body: object = { amounts: { tokens: 10 } }, of = tenant, jobId = job) =>
    of.call("POST", `/v1/jobs/${jobId}/reservations`, body, { "idempotency-key": key });
  const reserved = async () => {
    const { body } = await tenant.call("GET", "/v1/balances?scope=tenant");
    return (body.data as { reserved: number }[])[0]!.reserved;
  };

  it("answers the first answer again, marked as replayed, and takes nothing twice", async () => {
    const first = await reserve("k");
    const again = await reserve("k");
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(await reserved()).toBe(10);
  });

  it("gives 50 simultaneous requests under one key one hold and no server error", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => reserve("race")));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await reserved()).toBe(10);
  });

  it("binds a key to the body: another amount is 422 and moves nothing", async () => {
    await reserve("k");
    const other = await reserve("k", { amounts: { tokens: 20 } });
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
    expect(await reserved()).toBe(10);
  });

  it("binds a key to the path: the same body for another job is 422", async () => {
    await reserve("k");
    const other = await reserve("k", undefined, tenant, await newJob(tenant));
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  });

  it("knows the same request whatever the order of its members", async () => {
    const first = await reserve("k", { ttlMs: 5_000, amounts: { tokens: 10 } });
    const again = await reserve("k", { amounts: { tokens: 10 }, ttlMs: 5_000 });
    expect(again.body).toEqual(first.body);
  });

  it("keeps tenants apart: the same key is another reservation, and a foreign id answers 404", async () => {
    const other = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    const otherJob = await newJob(other);
    const mine = await reserve("1");
    const theirs = await reserve("1", undefined, other, otherJob);
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(mine.body.id);
    const path = `/v1/reservations/${mine.body.id}`;
    const tries = [
      await other.call("GET", path),
      await other.call("POST", `${path}/settle`, { actual: { tokens: 1 } }),
      await other.call("POST", `${path}/release`),
      await other.call("POST", `${path}/extend`, { ttlMs: 5_000 }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await tenant.call("GET", path)).body.state).toBe("open");
  });

  it("does not let a key of one reservation's settle hide another's", async () => {
    const [one, two] = [await reserve("a"), await reserve("b")];
    const settle = (id: unknown) =>
      tenant.call(
        "POST",
        `/v1/reservations/${id as string}/settle`,
        { actual: { tokens: 5 } },
        { "idempotency-key": "k" },
      );
    expect([(await settle(one.body.id)).status, (await settle(two.body.id)).status]).toEqual([200, 200]);
    expect(await reserved()).toBe(0);
  });

  it("decides a refused key afresh once there is room", async () => {
    const ask = { amounts: { tokens: 200 } };
    expect((await reserve("k", ask)).status).toBe(402);
    await holdfast.admin("PUT", `/v1/admin/tenants/${tenant.id}/allowances/tokens`, { limit: 500 });
    expect((await reserve("k", ask)).status).toBe(201);
    expect(await reserved()).toBe(200);
  });

  it.each([
    ["", 400],
    ["x".repeat(255), 201],
    ["x".repeat(256), 400],
    ["white space", 400],
  ])("takes keys of 1 to 255 visible ASCII characters only (%#)", async (key, status) => {
    expect((await reserve(key)).status).toBe(status);
  });

  it("asks for a key where one is needed", async () => {
    const { status, body } = await tenant.call(
      "POST",
      `/v1/jobs/${job}/reservations`,
      { amounts: { tokens: 1 } },
      { "idempotency-key": null },
    );
    expect([status, body.code]).toEqual([400, "idempotency_key_missing"]);
  });
});
