import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fetch } from "undici";
import { freePort } from "#libs/embedded";
import { Collector } from "../support/collector.js";
import { Figures } from "../support/figures.js";
import { newService, planned, starterOf } from "../support/flow.js";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { startProcess } from "../support/program.js";
import { eventually } from "../support/record.js";

let holdfast: Holdfast;
let collector: Collector;
/** The port that shows the figures to whoever asks. */
let port: number;

beforeAll(async () => {
  [collector, port] = await Promise.all([Collector.start(), freePort()]);
  holdfast = await startHoldfast({
    HOLDFAST_METRICS_PORT: String(port),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
}, 60_000);
afterAll(async () => {
  await holdfast?.stop();
  await collector?.stop();
});

const figures = async (at = port): Promise<Figures> =>
  Figures.of(await (await fetch(`http://127.0.0.1:${at}/metrics`)).text());

/** A figure grows by just so much. A request is counted once its answer is out, which may be a moment after it has arrived. */
async function expectGrowth(by: number, name: string, labels: Record<string, string>, act: () => Promise<unknown>) {
  const sum = async () => (await figures()).sum(name, labels) ?? 0;
  const before = await sum();
  await act();
  await eventually(async () => (await sum()) >= before + by);
  expect(await sum()).toBe(before + by);
}

describe("the figures", () => {
  it("are shown by the API to the operator's key alone, and at a port of their own to whoever reaches it", async () => {
    const tenant = await holdfast.tenant();
    expect((await holdfast.call("nobody", "GET", "/metrics")).status).toBe(401);
    expect((await tenant.call("GET", "/metrics")).status).toBe(403);
    const shown = await holdfast.admin("GET", "/metrics");
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
    expect(Figures.of(shown.body["text"] as string).kinds).toEqual((await figures()).kinds);
    const elsewhere = await fetch(`http://127.0.0.1:${port}/v1/jobs`);
    expect(elsewhere.status).toBe(404);
  });

  it("are shown by a process that only reconciles as well, and a port that is taken is refused by its name", async () => {
    const settings = {
      HOLDFAST_ROLE: "reconciler",
      HOLDFAST_DATABASE_URL: holdfast.databaseUrl,
      HOLDFAST_REDIS_URL: "off",
    };
    const own = await freePort();
    const reconciler = await startProcess({ ...settings, HOLDFAST_METRICS_PORT: String(own) });
    try {
      const seen = await figures(own);
      expect([seen.sum("holdfast_record_up"), seen.sum("holdfast_flow_shared")]).toEqual([1, undefined]);
      const taken = startProcess({ ...settings, HOLDFAST_METRICS_PORT: String(own) });
      await expect(taken).rejects.toThrow("HOLDFAST_METRICS_PORT is in use by another process\n");
    } finally {
      await reconciler.end("SIGTERM");
    }
  });

  it("of amounts are those of the ledger, however often a request is repeated and whatever else bounds it", async () => {
    const tenant = await holdfast.tenant({ allowances: { pages: { limit: 100 } } });
    const of = (name: string) => figures().then((seen) => seen.sum(`holdfast_amount_${name}_total`, { unit: "pages" }));
    const service = await newService(holdfast, { allowances: { pages: { limit: 1_000 } } });
    const id = await tenant.openReservation({ body: { amounts: { pages: 60 }, service } });
    const other = await tenant.openReservation({ body: { amounts: { pages: 30 } } });
    expect((await tenant.charge(other, [1, 1], { pages: 10 })).status).toBe(201);
    for (let i = 0; i < 2; i += 1) expect((await tenant.settle(id, { pages: 45 })).status).toBe(200);
    expect((await tenant.reserve(await tenant.job(), { amounts: { pages: 1_000 } })).status).toBe(402);
    const { reserved, spent } = await tenant.balance("tenant", "pages");
    expect([reserved, spent]).toEqual([20, 55]);
    expect([await of("reserved"), await of("spent"), await of("denied")]).toEqual([90, spent, 1_000]);
    expect((await of("reserved"))! - (await of("returned"))!).toBe(reserved);
  });

  it("count decisions by outcome and by the scope that denied, and name no tenant", async () => {
    const tenant = await holdfast.tenant({ jobAllowance: { tokens: 50 } });
    const denied = { operation: "reserve", outcome: "exceeds_limit", scope: "job" };
    const job = await tenant.job();
    await expectGrowth(1, "holdfast_decisions_total", denied, () => tenant.reserve(job, 51));
    const key = "again";
    const replayed = { operation: "reserve", outcome: "replayed" };
    await tenant.reserve(job, 10, key);
    await expectGrowth(1, "holdfast_decisions_total", replayed, () => tenant.reserve(job, 10, key));
    const observing = await holdfast.tenant({ enforcement: "observe" });
    const observed = { operation: "reserve", outcome: "observed", scope: "tenant" };
    await expectGrowth(1, "holdfast_decisions_total", observed, () => observing.openReservation({ tokens: 1_001 }));
    const { text } = await figures();
    expect([tenant.id, observing.id, job].filter((id) => text.includes(id))).toEqual([]);
  });

  it("time requests by the pattern of their route, and whatever is no route under one name", async () => {
    const tenant = await holdfast.tenant();
    const job = await tenant.job();
    const count = "holdfast_http_request_duration_seconds_count";
    const pattern = { method: "GET", route: "/v1/jobs/:jobId", status: "200" };
    await expectGrowth(1, count, pattern, () => tenant.call("GET", `/v1/jobs/${job}`));
    const none = { method: "any", route: "none", status: "404" };
    const made = ["/v1/nothing", "/x/../../y", "/v1/jobs/a/b/c/d"];
    const call = (path: string) => tenant.call("GET", path);
    await expectGrowth(made.length, count, none, () => Promise.all(made.map(call)));
    const routes = (await figures()).valuesOf("route");
    expect(routes.filter((route) => route !== "none" && !/^\/[a-zA-Z0-9/:.*-]*$/.test(route))).toEqual([]);
    expect(routes).not.toContain(made[0]);
    expect((await figures()).valuesOf("stage").sort()).toEqual(["commit", "script"]);
  });

  it("show permits, what was shed and why, and how a service stands", async () => {
    const breaker = { failures: 1, windowMs: 60_000, resetMs: 60_000, probes: 1 };
    const queue = { max: 5, maxWaitMs: 20_000 };
    const service = await newService(holdfast, { concurrency: 1, ratePerSecond: 1_000, queue, breaker });
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation(planned(5, 2));
    const starter = starterOf(tenant);
    const held = await starter.permit(id, { service });
    expect((await starter.permit(id, { child: 2, service })).status).toBe(429);
    const waiting = starter.permit(id, { child: 3, service, waitMs: 20_000 });
    const seen = async (name: string, labels = {}) => (await figures()).sum(`holdfast_${name}`, { service, ...labels });
    await eventually(async () => (await seen("service_queue_depth")) === 1);
    expect([await seen("service_in_flight"), await seen("service_places")]).toEqual([1, 1]);
    expect((await figures()).sum("holdfast_permit_callers_waiting")).toBe(1);
    await starter.finish(held.body.id, "overloaded");
    expect((await waiting).status).toBe(503);
    expect(await seen("service_breaker_state", { state: "open" })).toBe(1);
    expect(await seen("service_breaker_state", { state: "closed" })).toBe(0);
    expect(await seen("permits_total", { result: "granted" })).toBe(1);
    expect(await seen("permits_finished_total", { outcome: "overloaded" })).toBe(1);
    expect(await seen("permit_waits_total")).toBe(1);
    expect(await seen("shed_total", { reason: "concurrency_limited", scope: "service" })).toBe(1);
    expect(await seen("shed_total", { reason: "breaker_open", scope: "service" })).toBe(1);
    const { body } = await holdfast.admin("GET", "/v1/admin/flow");
    const shown = await figures();
    expect(body["granted"]).toBe(shown.sum("holdfast_permits_total", { result: "granted" }));
    expect(body["refused"]).toEqual({ concurrency_limited: 1, breaker_open: 1 });
  });

  it("tell of sweeps, audits and what is overdue, from the record", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation();
    const overdue = "UPDATE reservations SET expires_at = holdfast_now() - interval '1 hour' WHERE id = $1";
    // Sweeps wait for the tenant, and so it stays overdue while it is looked at.
    const client = await holdfast.record.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE", [tenant.id]);
    await holdfast.record.query(overdue, [id]);
    expect((await figures()).sum("holdfast_reservations_overdue")).toBe(1);
    await client.query("COMMIT");
    client.release();
    await holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["expire", "audit"] });
    const seen = await figures();
    expect(seen.sum("holdfast_reservations_overdue")).toBe(0);
    expect(seen.sum("holdfast_sweep_age_seconds")).toBeLessThan(20);
    expect(seen.sum("holdfast_audit_age_seconds")).toBeLessThan(20);
    expect([seen.sum("holdfast_audit_differences"), seen.sum("holdfast_record_up")]).toEqual([0, 1]);
  });
});

describe("what is written down of the figures", () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const rows = [...read("docs/metrics.md").matchAll(/^\| `(holdfast_\w+)`(?: †)? \| (\w+) \|(.*?)\| .+ \|$/gm)];
  const documented = rows.map(([, name, kind, labels]) => ({
    name: name!,
    kind: kind!,
    labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
  }));

  it("is just what a running service shows: names, kinds and labels", async () => {
    const seen = await figures();
    const ours = Object.entries(seen.kinds).filter(([name]) => name.startsWith("holdfast_"));
    expect(Object.fromEntries(documented.map(({ name, kind }) => [name, kind]))).toEqual(Object.fromEntries(ours));
    const shown = documented.filter(({ name }) => seen.labelsOf(name).length > 0);
    expect(shown.length).toBeGreaterThan(10);
    for (const { name, labels } of shown)
      expect([name, seen.labelsOf(name).sort()]).toEqual([name, [...labels].sort()]);
  });

  it.each(["deploy/grafana/holdfast.json", "deploy/prometheus/alerts.yml"])("is all that %s asks for", async (file) => {
    const { kinds } = await figures();
    const text = read(file).replaceAll('\\"', '"');
    const used = [...text.matchAll(/\b((?:holdfast|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?(?=[[ )}"\n]|$)/g)];
    expect(used.length).toBeGreaterThan(10);
    for (const [, name, selector = ""] of used) {
      const metric = name! in kinds ? name! : name!.replace(/_(bucket|sum|count)$/, "");
      expect([name, kinds[metric]]).toEqual([name, expect.any(String)]);
      const labels = documented.find((one) => one.name === metric)?.labels ?? [];
      const asked = [...selector.matchAll(/(\w+)=/g)].map(([, label]) => label!);
      expect([name, asked.filter((label) => !labels.includes(label))]).toEqual([name, []]);
    }
    // A counter only grows: what is shown of it is how fast.
    expect(text).not.toMatch(/(?<!rate\()\bholdfast_\w+_total(?!, service\))/);
  });

  it("is all in the dashboard", async () => {
    const dashboard = read("deploy/grafana/holdfast.json");
    expect(documented.filter(({ name }) => !dashboard.includes(name)).map(({ name }) => name)).toEqual([
      "holdfast_amount_returned_total",
    ]);
  });
});

describe("traces", () => {
  it("join the caller's, with what the request waited for below it", async () => {
    const tenant = await holdfast.tenant();
    const job = await tenant.job();
    const [traceId, parentId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
    const headers = { traceparent: `00-${traceId}-${parentId}-01`, "idempotency-key": "traced" };
    const path = `/v1/jobs/${job}/reservations`;
    expect((await tenant.call("POST", path, { amounts: { tokens: 1 } }, headers)).status).toBe(201);
    await eventually(async () => collector.of(traceId).length === 3);
    const spans = collector.of(traceId);
    const request = spans.find(({ name }) => name === "POST /v1/jobs/:jobId/reservations")!;
    expect(request).toMatchObject({ parentSpanId: parentId });
    expect(request.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: 201 } });
    const below = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId).map(({ name }) => name);
    expect(below.sort()).toEqual(["commit", "script"]);
    expect(JSON.stringify(spans)).not.toContain(job);
  });

  it("show what a permit waited for", async () => {
    const service = await newService(holdfast, { concurrency: 1 });
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation();
    const traceId = randomBytes(16).toString("hex");
    const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString("hex")}-01` };
    const path = `/v1/reservations/${id}/permits`;
    expect((await tenant.call("POST", path, { child: 1, service }, headers)).status).toBe(201);
    await eventually(async () => collector.of(traceId).length === 2);
    const [request, below] = ["POST /v1/reservations/:reservationId/permits", "permit"].map((name) =>
      collector.of(traceId).find((span) => span.name === name),
    );
    expect(below).toMatchObject({ parentSpanId: request?.spanId });
  });

  it("begin anew where the caller's header is nonsense, and leave probes and scrapes out", async () => {
    const tenant = await holdfast.tenant();
    await holdfast.call(tenant.key, "GET", "/v1/jobs", undefined, { traceparent: "00-nonsense" });
    const names = () => collector.spans.map(({ name }) => name);
    await eventually(async () => names().includes("GET /v1/jobs"));
    expect(collector.spans.find(({ name }) => name === "GET /v1/jobs")!.parentSpanId ?? "").toBe("");
    expect(names().filter((name) => /health|metrics/.test(name))).toEqual([]);
  });
});
