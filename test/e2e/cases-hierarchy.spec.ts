import { fresh } from "../support/commands.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

const child = async (tenant: HttpTenant, parent: string, grant: number | object): Promise<string> => {
  const { status, body } = await tenant.child(parent, grant);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
};
const cancel = (tenant: HttpTenant, id: string) => tenant.call("POST", `/v1/jobs/${id}/cancel`);
const close = (tenant: HttpTenant, id: string) => tenant.call("POST", `/v1/jobs/${id}/close`);
const figures = async (tenant: HttpTenant, scope: string): Promise<[number, number]> => {
  const { reserved, spent } = await tenant.balance(scope);
  return [reserved, spent];
};
const wide = { allowances: { tokens: { limit: 5_000 } } };

describe("a cancelled parent", () => {
  it("ends 10 children that hold 80 each: nothing new at once, what runs settles, the rest goes by its ttl", async () => {
    const tenant = await holdfast.tenant(wide);
    const root = await tenant.job({ allowance: { tokens: 1_000 } });
    const children = await Promise.all(Array.from({ length: 10 }, () => child(tenant, root, 100)));
    const holds = await Promise.all(children.map((jobId) => tenant.openReservation({ tokens: 80, jobId })));
    const racing = Array.from({ length: 20 }, (_, i) => tenant.reserve(children[i % 10]!, 10));
    const [cancelled, ...late] = await Promise.all([cancel(tenant, root), ...racing]);
    expect(cancelled.body.state).toBe("cancelled");
    // What was still queued for admission is decided before or after the cancel, and never in part.
    const admitted = late.filter(({ status }) => status === 201).map(({ body }) => body.id);
    for (const { status } of late) expect([201, 409]).toContain(status);

    for (const jobId of [root, ...children]) expect((await tenant.reserve(jobId, 1)).body.code).toBe("job_not_open");
    for (const id of holds) expect((await tenant.extend(id)).body.code).toBe("job_not_open");
    for (const id of holds.slice(0, 6)) expect((await tenant.settle(id, 70)).status).toBe(200);
    const unfinished = [...holds.slice(6), ...admitted];
    expect(await figures(tenant, `job:${root}`)).toEqual([4 * 80 + admitted.length * 10, 420]);
    for (const id of unfinished) await tenant.expire(id);
    expect(await figures(tenant, `job:${root}`)).toEqual([0, 420]);
    expect(await figures(tenant, "tenant")).toEqual([0, 420]);

    const before = await tenant.call("GET", `/v1/jobs/${root}`);
    expect((await cancel(tenant, root)).body).toEqual(cancelled.body);
    expect((await cancel(tenant, children[0]!)).body.state).toBe("cancelled");
    expect((await close(tenant, root)).body.code).toBe("job_not_open");
    expect((await tenant.call("GET", `/v1/jobs/${root}`)).body).toEqual(before.body);
    await tenant.expectAtRest();
  });

  it("leaves a closed child closed, and a finished job cannot be cancelled", async () => {
    const tenant = await holdfast.tenant();
    const root = await tenant.job();
    const done = await child(tenant, root, 10);
    await close(tenant, done);
    await cancel(tenant, root);
    expect((await tenant.call("GET", `/v1/jobs/${done}`)).body.state).toBe("closed");
    expect((await cancel(tenant, done)).body.code).toBe("job_not_open");
    await tenant.expectAtRest();
  });
});

describe("grants", () => {
  it("three levels deep are carved once a level, while tenant and user are charged once", async () => {
    const tenant = await holdfast.tenant(wide);
    const root = await tenant.job({ user: "ann", allowance: { tokens: 1_000 } });
    const middle = await child(tenant, root, 600);
    const leaf = await child(tenant, middle, 400);
    const id = await tenant.openReservation({ tokens: 100, jobId: leaf });
    const at = () => Promise.all([root, middle, leaf].map((job) => figures(tenant, `job:${job}`)));
    expect(await at()).toEqual([
      [600, 0],
      [400, 0],
      [100, 0],
    ]);
    expect([await figures(tenant, "tenant"), await figures(tenant, "user:ann")]).toEqual([
      [100, 0],
      [100, 0],
    ]);
    const running = await tenant.openReservation({ tokens: 50, jobId: leaf });
    await tenant.settle(id, 70);
    await close(tenant, leaf);
    expect(await at()).toEqual([
      [600, 0],
      [50, 70],
      [50, 70],
    ]);
    await close(tenant, middle);
    expect(await at()).toEqual([
      [50, 70],
      [50, 70],
      [50, 70],
    ]);
    await tenant.expire(running);
    expect(await at()).toEqual([
      [0, 70],
      [0, 70],
      [0, 70],
    ]);
    expect((await tenant.settle(running, 40)).body).toMatchObject({ late: true, overage: { tokens: 0 } });
    expect(await at()).toEqual([
      [0, 110],
      [0, 110],
      [0, 110],
    ]);
    expect([await figures(tenant, "tenant"), await figures(tenant, "user:ann")]).toEqual([
      [0, 110],
      [0, 110],
    ]);
    await tenant.expectAtRest();
  });

  it("show where a job stands, what it was granted, and its children", async () => {
    const tenant = await holdfast.tenant();
    const root = await tenant.job({ user: "ann" });
    const ids = [await child(tenant, root, 10), await child(tenant, root, 20)];
    const { body } = await tenant.call("GET", `/v1/jobs/${ids[1]}`);
    expect(body).toMatchObject({
      ...{ parentJobId: root, depth: 2, grant: { tokens: 20 }, allowance: { tokens: 20 }, user: "ann", children: 0 },
    });
    expect((await tenant.call("GET", `/v1/jobs/${root}`)).body).toMatchObject({ depth: 1, children: 2 });
    const listed = async (path: string) =>
      ((await tenant.call("GET", path)).body["data"] as { id: string }[]).map(({ id }) => id);
    expect(await listed(`/v1/jobs/${root}/children`)).toEqual([...ids].reverse());
    expect(await listed(`/v1/jobs?parentJobId=${root}&state=open`)).toEqual([...ids].reverse());
    const { body: ledger } = await tenant.call("GET", "/v1/ledger?type=grant");
    expect(ledger["data"]).toMatchObject([
      {
        reserved: 10,
        spent: 0,
        jobId: root,
        user: "ann",
        scopes: [{ kind: "job", id: root }],
        detail: { childJobId: ids[0] },
      },
      { reserved: 20, detail: { childJobId: ids[1] } },
    ]);
  });

  it("are made in a batch as by their route, and a batch may end them", async () => {
    const tenant = await holdfast.tenant();
    const root = await tenant.job({ allowance: { tokens: 100 } });
    const operation = { op: "createJob", parentJobId: root, grant: { tokens: 60 } };
    const made = await tenant.batch([operation, operation]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 402]);
    const [first] = made.filter(({ status }) => status === 201);
    const [ended] = await tenant.batch([{ op: "closeJob", jobId: first!.body.id }]);
    expect(ended!.body).toMatchObject({ state: "closed", parentJobId: root, grant: { tokens: 60 } });
    expect(await figures(tenant, `job:${root}`)).toEqual([0, 0]);
    await tenant.expectAtRest();
  });

  it("402: say what the parent has left", async () => {
    const tenant = await holdfast.tenant();
    const root = await tenant.job({ allowance: { tokens: 100 } });
    await child(tenant, root, 70);
    const { status, body, headers } = await tenant.child(root, 31);
    expect(status).toBe(402);
    expect(headers.get("x-should-retry")).toBe("false");
    expect(body).toMatchObject({
      ...{ code: "allowance_exhausted", scope: { kind: "job", id: root }, unit: "tokens", limit: 100, reserved: 70 },
      ...{ available: 30, requested: 31 },
    });
    expect((await tenant.child(root, 101)).body.code).toBe("exceeds_limit");
    await tenant.expectAtRest();
  });

  it("50 of 30 at once from a parent of 1000 are exactly 33, and one key is one child", async () => {
    const tenant = await holdfast.tenant(wide);
    const root = await tenant.job({ allowance: { tokens: 1_000 } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.child(root, 30)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(33);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(17);
    expect(await figures(tenant, `job:${root}`)).toEqual([990, 0]);
    const key = fresh("K");
    const same = await Promise.all(Array.from({ length: 20 }, () => tenant.child(root, 10, key)));
    expect(new Set(same.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(await figures(tenant, `job:${root}`)).toEqual([1_000, 0]);
    await tenant.expectAtRest();
  });

  it("keep a runaway child from starving its siblings", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000 } } });
    const root = await tenant.job({ allowance: { tokens: 900 } });
    const [runaway, ...siblings] = await Promise.all([500, 200, 200].map((grant) => child(tenant, root, grant)));
    const greedy = await Promise.all(Array.from({ length: 200 }, () => tenant.reserve(runaway!, 20)));
    expect(greedy.filter(({ status }) => status === 201)).toHaveLength(25);
    for (const jobId of siblings) expect((await tenant.reserve(jobId, 200)).status).toBe(201);
    expect(await figures(tenant, `job:${runaway}`)).toEqual([500, 0]);
    expect(await figures(tenant, `job:${root}`)).toEqual([900, 0]);
    expect(await figures(tenant, "tenant")).toEqual([900, 0]);
    await tenant.expectAtRest();
  });

  it("return when the child closes, so that the parent and its other children can have it", async () => {
    const tenant = await holdfast.tenant();
    const root = await tenant.job({ allowance: { tokens: 300 } });
    const first = await child(tenant, root, 300);
    await tenant.settle(await tenant.openReservation({ tokens: 100, jobId: first }), 90);
    expect((await tenant.child(root, 210)).status).toBe(402);
    await close(tenant, first);
    expect(await figures(tenant, `job:${root}`)).toEqual([0, 90]);
    await child(tenant, root, 210);
    expect((await tenant.reserve(root, 1)).status).toBe(402);
    await tenant.expectAtRest();
  });

  it("bring the overage of a child to its parent when it closes, in full", async () => {
    const tenant = await holdfast.tenant(wide);
    const root = await tenant.job({ allowance: { tokens: 300 } });
    const id = await child(tenant, root, 100);
    await tenant.settle(await tenant.openReservation({ tokens: 100, jobId: id }), 400);
    expect(await figures(tenant, `job:${root}`)).toEqual([100, 0]);
    await close(tenant, id);
    expect(await tenant.balance(`job:${root}`)).toMatchObject({ reserved: 0, spent: 400, available: 0, overage: 100 });
    await tenant.expectAtRest();
  });
});

describe("a child that cannot be", () => {
  it.each([
    ["without a grant", { grant: undefined }, 400, "/grant"],
    ["with an empty grant", { grant: {} }, 400, "/grant"],
    ["with an allowance besides its grant", { allowance: { tokens: 1 } }, 400, "/allowance"],
    ["of another user", { user: "bob" }, 400, "/user"],
    ["of a unit that there is not", { grant: { dollars: 1 } }, 422, undefined],
    ["of a job that there is not", { parentJobId: `job_${"0".repeat(26)}` }, 404, undefined],
    ["of what is no id", { parentJobId: "x" }, 404, undefined],
  ] as const)("%s", async (_, wrong, status, pointer) => {
    const tenant = await holdfast.tenant();
    const root = await tenant.job({ user: "ann" });
    const answer = await tenant.call("POST", "/v1/jobs", { parentJobId: root, grant: { tokens: 10 }, ...wrong });
    expect(answer.status).toBe(status);
    if (pointer !== undefined) expect(answer.body["errors"]).toMatchObject([{ pointer }]);
    await tenant.expectAtRest();
  });

  it("400: a grant without a parent", async () => {
    const tenant = await holdfast.tenant();
    const { status, body } = await tenant.call("POST", "/v1/jobs", { grant: { tokens: 10 } });
    expect(status).toBe(400);
    expect(body["errors"]).toEqual([{ pointer: "/grant", message: "must come together with parentJobId" }]);
  });

  it("409: below the deepest, and of a parent that is over", async () => {
    const tenant = await holdfast.tenant();
    let parent = await tenant.job();
    for (let depth = 2; depth <= 8; depth += 1) parent = await child(tenant, parent, 10);
    const { status, body } = await tenant.child(parent, 1);
    expect([status, body.code]).toEqual([409, "conflict"]);
    const root = await tenant.job();
    await close(tenant, root);
    expect((await tenant.child(root, 1)).body.code).toBe("job_not_open");
  });

  it("409: below the depth that is set", async () => {
    const shallow = await startHoldfast({ HOLDFAST_MAX_JOB_DEPTH: "2" });
    try {
      const tenant = await shallow.tenant();
      const first = await child(tenant, await tenant.job(), 10);
      expect((await tenant.child(first, 1)).body.code).toBe("conflict");
      const [inBatch] = await tenant.batch([{ op: "createJob", parentJobId: first, grant: { tokens: 1 } }]);
      expect([inBatch!.status, inBatch!.body.code]).toEqual([409, "conflict"]);
    } finally {
      await shallow.stop();
    }
  });
});
