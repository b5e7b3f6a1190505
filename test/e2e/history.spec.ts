import { Holdfast, type HttpTenant } from "../support/http.js";
import { startProcess, type HoldfastProcess } from "../support/program.js";
import { eventually } from "../support/record.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";

interface Series {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Two processes on one record: one with a reconciler, one without. */
let database: FreshDatabase;
let processes: readonly HoldfastProcess[];
let first: Holdfast;
let second: Holdfast;

beforeAll(async () => {
  database = await freshDatabase();
  const settings = {
    HOLDFAST_DATABASE_URL: database.url,
    HOLDFAST_REDIS_URL: redisUrl(),
    HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
    // Tests say when it sweeps.
    HOLDFAST_SWEEP_INTERVAL_MS: "60000",
  };
  processes = await Promise.all(["all", "api"].map((role) => startProcess({ ...settings, HOLDFAST_ROLE: role })));
  const borrowed = { url: database.url, drop: () => Promise.resolve() };
  [first, second] = processes.map((each) => new Holdfast(each, borrowed)) as [Holdfast, Holdfast];
}, 30_000);
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await database?.drop();
});

async function seriesOf(query = ""): Promise<readonly Series[]> {
  const { status, body } = await first.admin("GET", `/v1/admin/history${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body["data"] as Series[];
}

/** Everything that was counted, over all steps: `name label` → sum. */
async function counted(query?: string): Promise<Record<string, number>> {
  const series = (await seriesOf(query)).filter(({ name }) => !["reserved", "waiting"].includes(name));
  return Object.fromEntries(
    series.map(({ name, label, values }) => [
      `${name} ${label}`.trim(),
      values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    ]),
  );
}

async function measured(name: string, label = ""): Promise<number | null | undefined> {
  const found = (await seriesOf(`?name=${name}`)).find((series) => series.label === label);
  return found?.values.findLast((value) => value !== null);
}

/** A figure of Prometheus, summed over both processes. */
async function shown(figure: string): Promise<number> {
  const texts = await Promise.all([first, second].map((each) => each.admin("GET", "/metrics")));
  const line = new RegExp(`^${figure.replace(/[{}]/g, "\\$&")} (\\d+)$`, "m");
  return texts.reduce((sum, { body }) => sum + Number(line.exec(body["text"] as string)?.[1] ?? 0), 0);
}

const measure = () => first.admin("POST", "/v1/admin/reconcile", { tasks: ["history"] });
/** The same tenant, at the other process. */
const atSecond = ({ id, key }: HttpTenant) =>
  Object.assign(Object.create(Object.getPrototypeOf(tenant)) as HttpTenant, { holdfast: second, id, key });

let tenant: HttpTenant;

it("adds up over processes, and is exactly what the metrics say once things are quiet", async () => {
  tenant = await first.tenant();
  const job = await tenant.job();
  const settled = await tenant.openReservation({ tokens: 100, jobId: job });
  for (let i = 0; i < 2; i += 1) await tenant.openReservation({ tokens: 100, jobId: job });
  for (let i = 0; i < 3; i += 1) await atSecond(tenant).openReservation({ tokens: 100, jobId: job });
  expect((await atSecond(tenant).reserve(job, 500)).status).toBe(402);
  await tenant.settle(settled, 40);

  const expected = { admitted: 6, "denied tenant": 1, settled: 1, "spent tokens": 40 };
  await eventually(async () => (await counted())["admitted"] === 6 && (await counted())["denied tenant"] === 1, 20_000);
  expect(await counted()).toEqual(expected);
  expect(await counted("?sinceMs=86400000&stepMs=300000")).toEqual(expected);
  const reserve = 'holdfast_decisions_total{operation="reserve",outcome=';
  expect(await shown(`${reserve}"done",scope="none"}`)).toBe(6);
  expect(await shown(`${reserve}"allowance_exhausted",scope="tenant"}`)).toBe(1);
  expect(await shown('holdfast_amount_spent_total{unit="tokens"}')).toBe(40);
  await measure();
  expect(await measured("reserved", "tokens")).toBe((await tenant.balance()).reserved);
}, 40_000);

it("has what a process had counted when it stopped", async () => {
  await atSecond(tenant).openReservation({ tokens: 10 });
  await processes[1]!.end("SIGTERM");
  expect((await counted())["admitted"]).toBe(7);
});

it("shows how a service stood, and of its breaker the worst of a step", async () => {
  const breaker = { failures: 3, windowMs: 1_000, resetMs: 60_000, probes: 1 };
  const path = "/v1/admin/services/history-model";
  await first.admin("PUT", path, { concurrency: 7, adaptive: { min: 1, max: 5 }, breaker });
  await first.admin("POST", `${path}/breaker`, { state: "open" });
  await measure();
  await first.admin("POST", `${path}/breaker`, { state: "closed" });
  await measure();
  const { body } = await first.admin("GET", `${path}/history?stepMs=300000`);
  const last = (figure: string) => (body[figure] as unknown[]).findLast((value) => value !== null);
  expect(["inFlight", "places", "adaptiveLimit", "waiting", "breaker"].map(last)).toEqual([0, 5, 5, 0, "open"]);
  expect(await measured("waiting")).toBe(0);
  expect((await first.admin("GET", "/v1/admin/services/nobody/history")).status).toBe(404);
});

it("is dropped when it is older than it is kept: fine steps after hours, coarse ones after days", async () => {
  const ages = ["5 hours", "7 hours", "6 days", "8 days"];
  for (const age of ages) {
    await first.record.query(
      `INSERT INTO figures SELECT 'aged', $1::text, step, holdfast_now() - $1::text::interval, 1 FROM unnest('{10,300}'::int[]) AS step`,
      [age],
    );
  }
  const { body } = await first.admin("POST", "/v1/admin/reconcile", { tasks: ["retention"] });
  expect(body["data"]).toMatchObject([{ outcome: "ok", detail: { figures: 4 } }]);
  const { rows } = await first.record.query("SELECT step, label FROM figures WHERE name = 'aged' ORDER BY step, at");
  expect(rows).toEqual([
    { step: 10, label: "5 hours" },
    { step: 300, label: "6 days" },
    { step: 300, label: "7 hours" },
    { step: 300, label: "5 hours" },
  ]);
});

it("refuses spans that would be too much to show", async () => {
  for (const query of ["sinceMs=86400000&stepMs=10000", "stepMs=15000", "sinceMs=1", "name=nothing"])
    expect([query, (await first.admin("GET", `/v1/admin/history?${query}`)).status]).toEqual([query, 400]);
});
