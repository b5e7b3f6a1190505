import { readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { startHoldfast, type Answer, type Holdfast } from "../support/http.js";
import { eventually } from "../support/record.js";
import { neighbourOf, rowsOf, type Neighbour } from "./neighbour.js";
import { placesOf, requestOf, variantsOf, type Choice } from "./requests.js";
import { OPERATIONS, STREAMS, type Operation } from "./routes.js";

let holdfast: Holdfast;
let owner: Neighbour;
let revoked: Neighbour;

/** Processes remember a key for as long; the rest is for a busy machine. */
const REVOKED_WITHIN_MS = 1_000;
const SLACK_MS = 500;

beforeAll(async () => {
  holdfast = await startHoldfast();
  owner = await neighbourOf(holdfast, "owner");
  revoked = await neighbourOf(holdfast, "revoked");
  // Used, so that it is one that the process remembers.
  await revoked.tenant.call("GET", "/v1/jobs");
  const keys = await revoked.tenant.admin("GET", "/keys");
  for (const { id } of keys.body["data"] as { id: string }[]) await revoked.tenant.admin("DELETE", `/keys/${id}`);
  await eventually(async () => (await revoked.tenant.call("GET", "/v1/jobs")).status === 401, 2_000);
});
afterAll(() => holdfast.stop());

const send = (operation: Operation, key: string, of: Neighbour, headers = {}, choice: Choice = {}): Promise<Answer> => {
  const { method, path, body } = requestOf(operation, of.values, choice);
  return holdfast.call(key, method, path, body, headers);
};

const opened = (by: "tenant" | "admin") =>
  [...OPERATIONS, ...STREAMS]
    .filter(({ opens }) => opens === by)
    .map((operation) => [operation.id, operation] as const);
const closed = [...opened("tenant"), ...opened("admin")];

/** Every way not to have a key. */
function withoutKey(): Record<string, string | null> {
  const { key, id } = owner.tenant;
  const [kind, tenant, name, secret] = key.split("_");
  return {
    nothing: null,
    "an empty header": "",
    "no scheme": key,
    "another scheme": `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
    "a scheme without a key": "Bearer",
    "a word": "Bearer nobody",
    "two keys": `Bearer ${key} ${key}`,
    "the id of a tenant": `Bearer ${id}`,
    "a key without its secret": `Bearer ${kind}_${tenant}_${name}_`,
    "a key with another secret": `Bearer ${kind}_${tenant}_${name}_${"A".repeat(secret!.length)}`,
    "a key of another length": `Bearer ${key}A`,
    "a key in other letters": `Bearer ${key.toUpperCase()}`,
    "the secret of one tenant under the name of another": `Bearer ${kind}_${revoked.tenant.key.split("_")[1]}_${name}_${secret}`,
    "a key that was revoked": `Bearer ${revoked.tenant.key}`,
  };
}

describe("openapi.json", () => {
  it("has only operations whose ids and names these tests know how to fill", () => {
    for (const operation of OPERATIONS) expect(() => placesOf(operation)).not.toThrow();
    const inPaths = OPERATIONS.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    const known = OPERATIONS.flatMap((operation) => placesOf(operation).filter((place) => place.in === "path"));
    expect(known).toHaveLength(inPaths.length);
  });

  it("leaves out no route but the pages, and the figures, which are no JSON", () => {
    const folder = new URL("../../apps/api/", import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const hiding = files.filter((file) => /ApiExclude|ApiHide/.test(readFileSync(new URL(file, folder), "utf8")));
    expect(hiding.sort()).toEqual([
      "console/console.controller.ts",
      "openapi/docs.controller.ts",
      "telemetry/metrics.controller.ts",
    ]);
  });

  it("opens nothing to anybody but the probes", () => {
    expect(OPERATIONS.filter(({ opens }) => opens === "anybody").map(({ id }) => id)).toEqual([
      "health.live",
      "health.ready",
    ]);
    expect(closed.length).toBeGreaterThan(30);
  });

  it.each(OPERATIONS.filter(({ path }) => path.startsWith("/v1/admin/")).map(({ id, opens }) => [id, opens]))(
    "says that %s is the operator's",
    (_, opens) => expect(opens).toBe("admin"),
  );
});

describe("without a valid key", () => {
  it.each(closed)("%s is 401, and nothing changes", async (_, operation) => {
    const before = await rowsOf(holdfast, owner.tenant.id);
    for (const [what, authorization] of Object.entries(withoutKey())) {
      const { status, headers, body } = await send(operation, "", owner, { authorization });
      expect({ what, status, code: body.code }).toEqual({ what, status: 401, code: "unauthenticated" });
      expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
    expect(await rowsOf(holdfast, owner.tenant.id)).toEqual(before);
  });
});

describe("with a key of the other kind", () => {
  it.each(closed)("%s is 403, and nothing changes", async (_, operation) => {
    const before = await rowsOf(holdfast, owner.tenant.id);
    const other = { authorization: `Bearer ${owner.tenant.key}` };
    const answer =
      operation.opens === "admin"
        ? await send(operation, "", owner, other)
        : await holdfast.admin(operation.method, ...pathAndBody(operation));
    expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
    expect(await rowsOf(holdfast, owner.tenant.id)).toEqual(before);
  });

  const pathAndBody = (operation: Operation) => {
    const { path, body } = requestOf(operation, owner.values);
    return [path, body] as const;
  };
});

describe("a revoked key", () => {
  it("opens nothing a second after it was revoked, however much it is used meanwhile", async () => {
    const { tenant, values } = await neighbourOf(holdfast, "short");
    const spare = (await tenant.admin("POST", "/keys", { name: "spare" })).body;
    const use = () => holdfast.call(spare.key, "GET", `/v1/jobs/${values.job}`);
    expect((await use()).status).toBe(200);
    expect((await tenant.admin("DELETE", `/keys/${spare.id}`)).status).toBe(200);
    const revokedAt = performance.now();
    let askedAt = revokedAt;
    for (;;) {
      askedAt = performance.now();
      if ((await use()).status === 401) break;
    }
    expect(askedAt - revokedAt).toBeLessThan(REVOKED_WITHIN_MS + SLACK_MS);
    expect((await use()).status).toBe(401);
    expect((await tenant.call("GET", "/v1/jobs")).status).toBe(200);
  });
});

describe("the key of a suspended tenant", () => {
  const whole = opened("tenant").flatMap(([id, operation]) =>
    (operation.streams ? [] : variantsOf(operation)).map(
      (variant) => [id, variant ?? "", { operation, variant }] as const,
    ),
  );

  it.each(whole)(
    "is told so by %s %s where it would begin something, and may end and see the rest",
    async (...given) => {
      const [id, name, { operation, variant }] = given;
      const suspended = await neighbourOf(holdfast, "suspended");
      await suspended.tenant.admin("POST", "/suspend");
      const before = await rowsOf(holdfast, suspended.tenant.id);
      const { status, body } = await send(operation, suspended.tenant.key, suspended, {}, { variant });
      const begins = /create|reserve$|extend|start$/i.test(name || id);
      const books = /charge$/.test(name || id);
      expect(body.results?.[0]?.status ?? status).toBe(begins ? 403 : books ? 201 : 200);
      if (begins || operation.method === "GET") expect(await rowsOf(holdfast, suspended.tenant.id)).toEqual(before);
    },
  );
});

describe("the key of a deleted tenant", () => {
  let deleted: Neighbour;
  beforeAll(async () => {
    deleted = await neighbourOf(holdfast, "deleted");
    await deleted.tenant.admin("DELETE");
    await eventually(async () => (await deleted.tenant.call("GET", "/v1/jobs")).status === 404, 2_000);
  });

  it.each(opened("tenant"))("%s is 404, and nothing changes", async (_, operation) => {
    const before = await rowsOf(holdfast, deleted.tenant.id);
    const { status, body } = await send(operation, deleted.tenant.key, deleted);
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect(await rowsOf(holdfast, deleted.tenant.id)).toEqual(before);
  });
});
