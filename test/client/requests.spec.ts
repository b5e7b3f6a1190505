import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as client from "#libs/client";
import { ROUTES } from "../../libs/client/api/routes.js";
import { ERRORS } from "../../libs/client/errors/table.js";
import { broken, json, problem, ScriptedServer, silent } from "../support/scripted-server.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const JOB = { id: "job_1" };
const FAST = { baseMs: 1, mostMs: 2 };

let server: ScriptedServer;
const clientWith = (options: Partial<client.HoldfastOptions> = {}): client.Holdfast =>
  new client.Holdfast({ baseUrl: server.url, apiKey: "the-key", retries: FAST, ...options });

beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("the routes", () => {
  interface Described {
    readonly operationId: string;
    readonly tags?: readonly string[];
    readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  }
  const { paths } = JSON.parse(readFileSync(`${root}/openapi.json`, "utf8")) as {
    paths: Record<string, Record<string, Described>>;
  };
  const tenants = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes("tenant"))
      .map(([method, { operationId, parameters = [] }]) => {
        const keyed = parameters.some(({ name }) => name === "Idempotency-Key");
        return [operationId, { method: method.toUpperCase(), path, ...(keyed && { keyed: true }) }] as const;
      }),
  );

  it("are every one that a tenant's key opens, and their types are those of openapi.json", () => {
    expect(ROUTES).toEqual(Object.fromEntries(tenants));
    execFileSync(process.execPath, [`${root}/scripts/client-types.mjs`, "--check"], { stdio: "pipe" });
  });

  it("have an error class of its own for every code", () => {
    const classes = Object.values(ERRORS);
    expect(new Set(classes).size).toBe(classes.length);
    for (const OfCode of classes) expect(client).toHaveProperty(OfCode.name, OfCode);
  });
});

describe("a request that is sent again", () => {
  it("has the same idempotency key and body on every try, made before the first", async () => {
    server.script(broken, problem(503, "ledger_unavailable", true), json(502, { page: "gateway" }), json(201, JOB));
    expect(await clientWith().jobs.create({ name: "a" })).toEqual(JOB);
    expect(server.heard).toHaveLength(4);
    expect(new Set(server.heard.map(({ key }) => key)).size).toBe(1);
    expect(server.heard[0]!.key).toMatch(/^[\x21-\x7e]{1,255}$/);
    expect(new Set(server.heard.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it("has another key for another call, and the caller's own where one is given", async () => {
    server.script(json(201, JOB));
    const holdfast = clientWith();
    await holdfast.jobs.create({});
    await holdfast.jobs.create({});
    await holdfast.jobs.create({}, { idempotencyKey: "mine" });
    const [first, second, third] = server.heard.map(({ key }) => key);
    expect(first).not.toBe(second);
    expect(third).toBe("mine");
  });

  it("has one key for each operation of a batch that needs one, the caller's own respected", async () => {
    server.script(broken, json(200, { results: [] }));
    await clientWith().batch([
      { op: "createJob" },
      { op: "createJob", idempotencyKey: "mine" },
      { op: "release", reservationId: "rsv_1" },
    ]);
    const [first, second] = server.heard.map(
      ({ body }) => (body as { operations: Record<string, unknown>[] }).operations,
    );
    expect(second).toEqual(first);
    expect(first!.map((operation) => typeof operation["idempotencyKey"])).toEqual(["string", "string", "undefined"]);
    expect(first![1]!["idempotencyKey"]).toBe("mine");
  });

  it("is given up after so many tries", async () => {
    server.script(problem(503, "shutting_down", true));
    const error = await errorOf(clientWith({ retries: { ...FAST, tries: 3 } }).jobs.get("job_1"));
    expect(error).toBeInstanceOf(client.ShuttingDown);
    expect(error).toMatchObject({ tries: 3, code: "shutting_down" });
    expect(server.heard).toHaveLength(3);
  });

  it("waits as long as the service asks for, and no shorter", async () => {
    server.script(problem(429, "rate_limited", true, { retryAfter: "1" }), json(200, JOB));
    await clientWith().jobs.get("job_1");
    expect(server.heard[1]!.at - server.heard[0]!.at).toBeGreaterThanOrEqual(999);
  });

  it("waits as long as a gateway asks for, too", async () => {
    server.script(json(503, { page: "gateway" }, { "retry-after": "1" }), json(200, JOB));
    await clientWith().jobs.get("job_1");
    expect(server.heard[1]!.at - server.heard[0]!.at).toBeGreaterThanOrEqual(999);
  });

  it("has a time without an end where that is what it is given", async () => {
    server.script((response) => void setTimeout(() => json(200, JOB)(response, response.req), 50));
    const endless = clientWith({ timeoutMs: Infinity, retries: { tries: 1, totalMs: Infinity } });
    expect(await endless.jobs.get("job_1")).toEqual(JOB);
  });

  it("is not when the wait that is asked for is longer than the time that is left", async () => {
    const inOneHour = new Date(Date.now() + 3_600_000).toUTCString();
    for (const retryAfter of ["60000", inOneHour]) {
      server.script(problem(503, "breaker_open", true, { retryAfter }), json(200, JOB));
      const begun = performance.now();
      const error = await errorOf(clientWith().jobs.get("job_1"));
      expect(error).toBeInstanceOf(client.BreakerOpen);
      expect((error as client.BreakerOpen).retryAfterMs).toBeGreaterThan(3_500_000);
      expect(performance.now() - begun).toBeLessThan(1_000);
    }
  });

  it.each(["0", "-5", "abc", "Sat, 01 Jan 2000 00:00:00 GMT"])(
    "goes on by its own jitter after %p",
    async (retryAfter) => {
      server.script(problem(503, "queue_full", true, { retryAfter }), json(200, JOB));
      expect(await clientWith().jobs.get("job_1")).toEqual(JOB);
    },
  );

  it("ends with its time, although nobody answers", async () => {
    server.script(silent);
    const begun = performance.now();
    const error = await errorOf(
      clientWith({ timeoutMs: 100, retries: { ...FAST, tries: 50, totalMs: 350 } }).jobs.get("j"),
    );
    expect(error).toBeInstanceOf(client.ConnectionFailed);
    expect(error).toMatchObject({ timedOut: true });
    expect(server.heard.length).toBeGreaterThanOrEqual(3);
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});

describe("a request that is asked once", () => {
  it("is one that is refused for good: the error has the problem's fields", async () => {
    const figures = { unit: "tokens", limit: 5, spent: 1, reserved: 2, available: 2, requested: 9, maxChildren: 0 };
    server.script(problem(402, "allowance_exhausted", false, { ...figures, scope: { kind: "job", id: "job_1" } }));
    const error = await errorOf(clientWith().reservations.reserve("job_1", { amounts: { tokens: 9 } }));
    expect(error).toBeInstanceOf(client.AllowanceExhausted);
    expect(error).toBeInstanceOf(client.Denied);
    expect(error).toMatchObject({ ...figures, status: 402, retryable: false, tries: 1, scope: { kind: "job" } });
    expect(server.heard).toHaveLength(1);
  });

  it("is one with a code that is newer than the client, by what the problem says of itself", async () => {
    server.script(problem(409, "not_yet_known", false));
    const error = await errorOf(clientWith().jobs.close("job_1"));
    expect(error).toBeInstanceOf(client.ProblemError);
    expect(error).toMatchObject({ code: "not_yet_known" });
    expect(server.heard).toHaveLength(1);
  });

  it("is one that is redirected: the key goes to no other address", async () => {
    server.script(json(307, {}, { location: "http://127.0.0.1:1/" }));
    const error = await errorOf(clientWith({ retries: { tries: 1 } }).jobs.get("job_1"));
    expect(error).toBeInstanceOf(client.ConnectionFailed);
  });
});

describe("an aborted signal", () => {
  it("ends a request under way, the wait before a retry, and one that has not begun, with its reason", async () => {
    const reason = new Error("enough");
    for (const reply of [silent, problem(503, "queue_full", true, { retryAfter: "30" })]) {
      server.script(reply);
      const abort = new AbortController();
      const error = errorOf(clientWith().jobs.get("job_1", { signal: abort.signal }));
      while (server.heard.length === 0) await new Promise(setImmediate);
      abort.abort(reason);
      expect(await error).toBe(reason);
    }
    expect(await errorOf(clientWith().jobs.get("job_1", { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(server.heard).toHaveLength(1);
  });
});

it("shows its key to nobody who prints it", async () => {
  const { inspect } = await import("node:util");
  const holdfast = clientWith();
  expect(inspect({ holdfast, job: holdfast.job("job_1") }, { depth: 9, showHidden: true })).not.toContain("the-key");
  expect(JSON.stringify(holdfast.job("job_1"))).toBe('{"id":"job_1"}');
});
