import { startHoldfast, type Answer, type Holdfast, type HttpTenant } from "../support/http.js";
import { newService, planned, starterOf } from "../support/flow.js";
import { eventually } from "../support/record.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast({ HOLDFAST_PERMIT_LEASE_MS: "1000" });
});
afterAll(() => holdfast?.stop());

const live = async (service: string) => (await holdfast.admin("GET", `/v1/admin/services/${service}`)).body["live"];

describe("a permit", () => {
  it("201: counts the attempts of its child, and finish charges each once", async () => {
    const tenant = await holdfast.tenant();
    const [starter, id] = [starterOf(tenant), await tenant.openReservation(planned(2, 2, 10))];
    const first = await starter.permit(id);
    expect([first.status, first.body]).toEqual([
      201,
      { id: expect.stringMatching(/^att_/), reservationId: id, child: 1, attempt: 1, leaseMs: 1_000 },
    ]);
    expect(first.body.id).toMatch(/^att_[0-9A-HJKMNP-TV-Z]{26}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
    const finished = await starter.finish(first.body.id, "overloaded", { tokens: 4 });
    expect(finished.status).toBe(200);
    expect(finished.body).toMatchObject({
      ...{ id: first.body.id, reservationId: id, child: 1, attempt: 1, outcome: "failed", actual: { tokens: 4 } },
    });
    expect(await tenant.balance()).toMatchObject({ reserved: 30, spent: 4 });
    const second = await starter.permit(id);
    expect(second.body["attempt"]).toBe(2);
    await starter.finish(second.body.id, "succeeded", { tokens: 5 });
    expect(await tenant.balance()).toMatchObject({ reserved: 20, spent: 9 });
    await tenant.expectAtRest();
  });

  it("is finished once: the same again answers the same, other facts are 409, also twice at once", async () => {
    const tenant = await holdfast.tenant();
    const [starter, id] = [starterOf(tenant), await tenant.openReservation(planned(1, 2, 10))];
    const { body } = await starter.permit(id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => starter.finish(body.id, "failed")));
    expect(new Set(answers.map((each) => `${each.status} ${JSON.stringify(each.body)}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
    expect((await starter.finish(body.id, "failed", { tokens: 2 })).body.code).toBe("conflict");
    // Charged alike, and yet another end.
    for (const outcome of ["overloaded", "cancelled", "succeeded"] as const)
      expect((await starter.finish(body.id, outcome)).body.code).toBe("conflict");
    expect(await tenant.balance()).toMatchObject({ reserved: 10, spent: 1 });
    await tenant.expectAtRest();
  });

  it("still charges after its lease has ended, when no heartbeat keeps it", async () => {
    const tenant = await holdfast.tenant();
    const service = await newService(holdfast, { concurrency: 1 });
    const [starter, id] = [starterOf(tenant), await tenant.openReservation(planned(2, 1, 10))];
    const { body } = await starter.permit(id, { service });
    expect((await starter.heartbeat(body.id)).body).toEqual({ id: body.id, leaseMs: 1_000 });
    await eventually(async () => (await starter.permit(id, { child: 2, service })).status === 201);
    expect((await starter.heartbeat(body.id)).body.code).toBe("conflict");
    expect((await starter.finish(body.id, "failed", { tokens: 3 })).status).toBe(200);
    expect(await live(service)).toMatchObject({ inFlight: 1 });
    expect(await tenant.balance()).toMatchObject({ spent: 3 });
  });

  it("of a job that has ended still charges, and no other is given", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job();
    const [starter, id] = [starterOf(tenant), await tenant.openReservation({ ...planned(2, 1, 10), jobId })];
    const { body } = await starter.permit(id);
    await tenant.call("POST", `/v1/jobs/${jobId}/cancel`);
    expect((await starter.permit(id, { child: 2 })).body.code).toBe("job_not_open");
    expect((await starter.finish(body.id, "succeeded", { tokens: 7 })).status).toBe(200);
    expect(await tenant.balance()).toMatchObject({ reserved: 10, spent: 7 });
    await tenant.expectAtRest();
  });

  it("that is forged, cut or another tenant's is one that never existed", async () => {
    const [tenant, other] = [await holdfast.tenant(), await holdfast.tenant()];
    const { body } = await starterOf(tenant).permit(await tenant.openReservation(planned(1, 1)));
    const [id, content, signature] = body.id.split(".") as [string, string, string];
    const granted = JSON.parse(Buffer.from(content, "base64url").toString()) as Record<string, object>;
    const raised = Buffer.from(JSON.stringify({ ...granted, child: 2 })).toString("base64url");
    const forged = [
      ...[id, `${id}.${content}`, `${id}.${content}.`, `${body.id}.`, `${body.id}A`, body.id.slice(0, -1)],
      ...[
        `${id}.${raised}.${signature}`,
        `${id.slice(0, -1)}${id.endsWith("0") ? 1 : 0}.${content}.${signature}`,
        `.${content}.${signature}`,
        "att",
      ],
      `${id}.${content}.${"é".repeat(22)}`,
    ];
    for (const each of forged.map(encodeURIComponent)) {
      const answers = [await starterOf(tenant).finish(each), await starterOf(tenant).heartbeat(each)];
      expect(answers.map(({ status }) => [each, status])).toEqual([[each, 404], [each, 404]]); // prettier-ignore
    }
    const foreign = await starterOf(other).finish(body.id);
    expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
    expect((await starterOf(tenant).finish(body.id)).status).toBe(200);
  });

  it("after whose failures the breaker opens is told apart from one whose caller was at fault", async () => {
    const tenant = await holdfast.tenant();
    const breaker = { failures: 2, windowMs: 60_000, resetMs: 60_000, probes: 1 };
    const service = await newService(holdfast, { breaker });
    const [starter, id] = [starterOf(tenant), await tenant.openReservation(planned(50, 1))];
    const end = async (child: number, outcome: string) =>
      starter.finish((await starter.permit(id, { child, service })).body.id, outcome);
    for (const child of [1, 2, 3, 4]) await end(child, child % 2 ? "rejected" : "cancelled");
    expect(await live(service)).toMatchObject({ breaker: "closed" });
    for (const child of [5, 6]) await end(child, "failed");
    expect(await live(service)).toMatchObject({ breaker: "open" });
    const closed = await holdfast.admin("POST", `/v1/admin/services/${service}/breaker`, { state: "closed" });
    expect(closed.body["live"]).toMatchObject({ breaker: "closed" });
    expect((await starter.permit(id, { child: 7, service })).status).toBe(201);
  });

  it("stands at its tenant's own gate, which is shown as the service's is", async () => {
    const [tenant, other] = [await holdfast.tenant(), await holdfast.tenant()];
    const queue = { max: 5, maxWaitMs: 10_000 };
    const service = await newService(holdfast, { concurrency: 5, queue });
    const path = `/v1/admin/tenants/${tenant.id}/services/${service}`;
    await holdfast.admin("PUT", path, { concurrency: 1, queue, adaptive: { min: 1, max: 3 } });
    const id = await tenant.openReservation(planned(2, 1));
    await starterOf(other).permit(await other.openReservation(planned(1, 1)), { service });
    const { body } = await starterOf(tenant).permit(id, { service });
    const waiting = starterOf(tenant).permit(id, { child: 2, service, waitMs: 10_000 });
    const shown = async () => (await holdfast.admin("GET", path)).body["live"] as { waiting: Record<string, number> };
    await eventually(async () => (await shown()).waiting[tenant.id] === 1);
    expect(await shown()).toEqual({
      ...{ inFlight: 1, places: 1, adaptiveLimit: 3, tokens: null, breaker: "closed", shared: true },
      holders: { [tenant.id]: 1 },
      waiting: { [tenant.id]: 1 },
    });
    expect(await live(service)).toMatchObject({ inFlight: 2, places: 5, adaptiveLimit: null });
    await starterOf(tenant).finish(body.id);
    expect((await waiting).status).toBe(201);
  });
});

interface Given {
  readonly tenant: HttpTenant;
  readonly id: string;
}

/** One way to each refusal, what refused, and how long it says to wait. */
const REFUSALS: Record<
  string,
  readonly [(given: Given) => Promise<Answer>, string, number | readonly [number, number] | null]
> = {
  "409 attempts_exhausted": [
    async ({ tenant, id }) => {
      for (const _ of [1, 2]) await starterOf(tenant).permit(id);
      return starterOf(tenant).permit(id);
    },
    "reservation",
    null,
  ],
  "429 rate_limited": [({ tenant, id }) => twice(tenant, id, { ratePerSecond: 0.4, burst: 1 }), "service", 3],
  "429 concurrency_limited": [({ tenant, id }) => twice(tenant, id, { concurrency: 1 }), "service", 1],
  "503 queue_full": [
    async ({ tenant, id }) => {
      const service = await newService(holdfast, { concurrency: 1, queue: { max: 0, maxWaitMs: 1_000 } });
      await starterOf(tenant).permit(id, { service });
      return starterOf(tenant).permit(id, { child: 2, service, waitMs: 500 });
    },
    "service",
    1,
  ],
  "503 breaker_open": [
    async ({ tenant, id }) => {
      const breaker = { failures: 1, windowMs: 1_000, resetMs: 1_500, probes: 1 };
      const service = await newService(holdfast, { breaker });
      await holdfast.admin("POST", `/v1/admin/services/${service}/breaker`, { state: "open" });
      return starterOf(tenant).permit(id, { service });
    },
    "service",
    2,
  ],
  "429 retry_budget_exhausted": [
    async ({ tenant, id }) => {
      let answer = await starterOf(tenant).permit(id);
      for (let child = 2; answer.status === 201 && child < 30; child += 1) {
        await starterOf(tenant).permit(id, { child });
        answer = await starterOf(tenant).permit(id, { child });
      }
      return answer;
    },
    "job",
    // Within a minute starts are counted by slices of it.
    [51, 60],
  ],
};

async function twice(tenant: HttpTenant, id: string, settings: object): Promise<Answer> {
  const service = await newService(holdfast, settings);
  expect((await starterOf(tenant).permit(id, { service })).status).toBe(201);
  return starterOf(tenant).permit(id, { child: 2, service });
}

describe("a refusal of a permit", () => {
  it.each(Object.entries(REFUSALS))(
    "%s says what refused and when to come back",
    async (name, [refuse, kind, wait]) => {
      const tenant = await holdfast.tenant();
      const id = await tenant.openReservation(planned(40, 2));
      const { status, body, headers } = await refuse({ tenant, id });
      expect(`${status} ${body.code}`).toBe(name);
      expect(body.scope.kind).toBe(kind);
      expect(body["retryable"]).toBe(wait !== null);
      const told = headers.get("retry-after");
      expect(body["retryAfter"]).toBe(told === null ? undefined : Number(told));
      const [least, most] = typeof wait === "object" ? (wait ?? [null, null]) : [wait, wait];
      if (least === null || most === null) return expect(told).toBeNull();
      expect(Number(told)).toBeGreaterThanOrEqual(least);
      expect(Number(told)).toBeLessThanOrEqual(most);
      expect(await tenant.balance()).toMatchObject({ reserved: 80, spent: 0 });
    },
  );

  it("is 400 where it could never pass: a cost above the burst, a service that lets nothing through", async () => {
    const tenant = await holdfast.tenant();
    const [starter, id] = [starterOf(tenant), await tenant.openReservation(planned(1, 1))];
    const none = { pointer: "/service" };
    for (const [settings, cost, error] of [
      [{ ratePerSecond: 5 }, 6, { pointer: "/cost", message: expect.stringContaining("never") }],
      [{ ratePerSecond: 0 }, 1, none],
      [{ concurrency: 0 }, 1, none],
    ] as const) {
      const service = await newService(holdfast, settings);
      const { status, body, headers } = await starter.permit(id, { service, cost, waitMs: 60_000 });
      expect([status, body["retryable"], headers.get("retry-after")]).toEqual([400, false, null]);
      expect(body["errors"]).toMatchObject([error]);
    }
    expect((await starter.permit(id)).body["attempt"]).toBe(1);
  });

  it("of a closed reservation, a child beyond the plan, and a service that there is not", async () => {
    const tenant = await holdfast.tenant();
    const starter = starterOf(tenant);
    const id = await tenant.openReservation(planned(2, 2));
    expect((await starter.permit(id, { child: 3 })).body.code).toBe("attempts_exhausted");
    expect((await starter.permit(id, { service: "nothing" })).body.code).toBe("service_unknown");
    await starter.finish((await starter.permit(id)).body.id);
    expect((await starter.permit(id)).body.code).toBe("attempts_exhausted");
    await tenant.release(id);
    expect((await starter.permit(id, { child: 2 })).body.code).toBe("already_released");
    const late = await tenant.openReservation(planned(2, 2));
    await tenant.expire(late);
    expect((await starter.permit(late)).body.code).toBe("reservation_expired");
    expect((await starter.permit(`rsv_${"0".repeat(26)}`)).status).toBe(404);
    const open = await tenant.openReservation({ tokens: 5 });
    expect((await starter.permit(open, { child: 9_007_199_254_740_991 })).status).toBe(201);
    await tenant.admin("POST", "/suspend");
    await eventually(async () => (await starter.permit(open)).body.code === "tenant_suspended");
  });
});
