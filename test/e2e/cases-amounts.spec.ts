import { startHoldfast, type Holdfast, type HttpTenant, type Asked } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** A limit that binds at one scope; the other scopes have plenty. */
interface Scope {
  readonly kind: string;
  tenant(limit: number): Promise<{ tenant: HttpTenant; jobId: string; scope: string }>;
}

const PLENTY = 1_000_000;
const limits = (tenant: number, user: number, job: number) => ({
  allowances: { tokens: { limit: tenant } },
  userAllowance: { tokens: user },
  jobAllowance: { tokens: job },
});
const scopeOf = (kind: string, fields: (limit: number) => object): Scope => ({
  kind,
  tenant: async (limit) => {
    const tenant = await holdfast.tenant(fields(limit));
    const jobId = await tenant.job({ user: "ada" });
    return { tenant, jobId, scope: kind === "tenant" ? kind : `${kind}:${kind === "user" ? "ada" : jobId}` };
  },
});
const SCOPES = [
  scopeOf("job", (limit) => limits(PLENTY, PLENTY, limit)),
  scopeOf("user", (limit) => limits(PLENTY, limit, PLENTY)),
  scopeOf("tenant", (limit) => limits(limit, PLENTY, PLENTY)),
];

describe.each(SCOPES)("the limit of a $kind", ({ kind, tenant: start }) => {
  it("books what was spent above it in full, as overage, and denies what comes next until it rises", async () => {
    const { tenant, jobId, scope } = await start(100);
    const id = await tenant.openReservation({ tokens: 50, jobId });
    const settled = await tenant.settle(id, 180);
    expect(settled.body).toMatchObject({
      state: "settled",
      actual: { tokens: 180 },
      overage: { tokens: 130 },
      released: { tokens: 0 },
    });
    expect(await tenant.balance(scope)).toMatchObject({ spent: 180, reserved: 0, available: 0, overage: 80 });
    for (const other of ["tenant", "user:ada", `job:${jobId}`]) {
      expect(await tenant.balance(other)).toMatchObject({ spent: 180, reserved: 0 });
    }
    const denied = await tenant.reserve(jobId, 1);
    expect([denied.status, denied.body.scope.kind]).toEqual([402, kind]);
    if (kind === "tenant") {
      await tenant.setLimit(181);
      expect((await tenant.reserve(jobId, 1)).status).toBe(201);
    }
    await tenant.expectAtRest();
  });

  it("that denies leaves nothing taken at the scopes that had room, 50 times at once", async () => {
    const { tenant, jobId } = await start(100);
    const answers = await Promise.all(times(50, () => tenant.reserve(jobId, 200)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.scope.kind}`))).toEqual(
      new Set([`402 ${kind}`]),
    );
    for (const scope of ["tenant", "user:ada", `job:${jobId}`]) {
      for (const balance of await tenant.balances(scope)) expect(balance).toMatchObject({ reserved: 0, spent: 0 });
    }
    await tenant.expectAtRest();
  });

  it("admits exactly itself and not one more, and 0 always", async () => {
    const { tenant, jobId, scope } = await start(1_000);
    const all = await tenant.openReservation({ tokens: 1_000, jobId });
    expect(await tenant.balance(scope)).toMatchObject({ reserved: 1_000, available: 0, overage: 0 });
    expect((await tenant.reserve(jobId, 1)).status).toBe(402);
    const nothing = await tenant.reserve(jobId, 0);
    expect([nothing.status, nothing.body["reserved"]]).toEqual([201, { tokens: 0 }]);
    await tenant.settle(all, 999);
    expect((await tenant.reserve(jobId, 2)).status).toBe(402);
    expect((await tenant.reserve(jobId, 1)).status).toBe(201);
    expect((await tenant.settle(nothing.body.id, 0)).status).toBe(200);
    await tenant.expectAtRest();
  });

  it("admits 1000 of 1001 requests at once for 1 each", async () => {
    const { tenant, jobId, scope } = await start(1_000);
    const answers = await Promise.all(times(1_001, () => tenant.reserve(jobId, 1)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1_000);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(1);
    expect(await tenant.balance(scope)).toMatchObject({ reserved: 1_000, available: 0 });
    await tenant.expectAtRest();
  });
});

describe("money", () => {
  it("adds up to the last millionth: ten times 0.10 of 1.00 leave exactly 0, and an eleventh is denied", async () => {
    const tenant = await holdfast.tenant({ allowances: { usd_micros: { limit: 1_000_000 } } });
    const jobId = await tenant.job();
    const tenth: Asked = { jobId, body: { amounts: { usd_micros: 100_000 } } };
    for (const _ of times(10, () => 0)) {
      const id = await tenant.openReservation(tenth);
      expect((await tenant.settle(id, { usd_micros: 100_000 })).status).toBe(200);
    }
    expect(await tenant.balance("tenant", "usd_micros")).toMatchObject({
      spent: 1_000_000,
      reserved: 0,
      available: 0,
      overage: 0,
    });
    expect((await tenant.reserve(jobId, { amounts: { usd_micros: 100_000 } })).body.code).toBe("allowance_exhausted");
    await tenant.expectAtRest();
  });
});

describe("a request above the limit itself", () => {
  it("is told that it can never fit, and that no retry helps", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10 } } });
    const { status, body, headers } = await tenant.reserve(await tenant.job(), 11);
    expect([status, body.code, body["retryable"]]).toEqual([402, "exceeds_limit", false]);
    expect(headers.get("x-should-retry")).toBe("false");
    expect(headers.get("retry-after")).toBeNull();
    const figures = { unit: "tokens", limit: 10, spent: 0, reserved: 0, available: 10, requested: 11 };
    expect(body).toMatchObject({ scope: { kind: "tenant", id: tenant.id }, ...figures });
    await tenant.expectAtRest();
  });

  it("is not the same as one that does not fit now, which is as terminal", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10 } } });
    const jobId = await tenant.job();
    await tenant.openReservation({ tokens: 5, jobId });
    const { body, headers } = await tenant.reserve(jobId, 6);
    expect([body.code, body["retryable"], headers.get("x-should-retry")]).toEqual([
      "allowance_exhausted",
      false,
      "false",
    ]);
    expect(headers.get("retry-after")).toBeNull();
    await tenant.expectAtRest();
  });

  it("of ten times the limit holds nothing and hinders nobody", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    expect((await tenant.reserve(await tenant.job(), 1_000)).status).toBe(402);
    expect(await tenant.balance()).toMatchObject({ reserved: 0, available: 100 });
    await tenant.openReservation({ tokens: 100 });
    await tenant.expectAtRest();
  });
});

describe("a reservation", () => {
  it("is refused where what is left is less, never cut to it", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 200 } } });
    const jobId = await tenant.job();
    await tenant.openReservation({ tokens: 100, jobId });
    const { status, body } = await tenant.reserve(jobId, 150);
    expect([status, body["available"], body["requested"]]).toEqual([402, 100, 150]);
    expect(await tenant.balance()).toMatchObject({ reserved: 100, spent: 0, available: 100 });
    await tenant.expectAtRest();
  });

  it.each([{}, { ttlMs: 5_000 }, { plan: { children: 3, attempts: 2 } }, { amounts: {} }])(
    "without a planned cost is no reservation of everything: %j is 400",
    async (body) => {
      const tenant = await holdfast.tenant();
      const answer = await tenant.reserve(await tenant.job(), body);
      expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
      await tenant.expectAtRest();
    },
  );

  it("of a plan says how many children would fit, and admits those alone where it may be partial", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    const jobId = await tenant.job();
    const plan = { children: 5, attempts: 2, attemptCost: { tokens: 15 } };
    const denied = await tenant.reserve(jobId, { plan });
    expect([denied.status, denied.body["requested"], denied.body["maxChildren"]]).toEqual([402, 150, 3]);
    const partial = await tenant.reserve(jobId, { plan, admit: "partial" });
    expect(partial.body).toMatchObject({ reserved: { tokens: 90 }, plan: { ...plan, admittedChildren: 3 } });
    expect(await tenant.balance()).toMatchObject({ reserved: 90 });
    await tenant.expectAtRest();
  });
});
