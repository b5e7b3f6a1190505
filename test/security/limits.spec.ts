import { gzipSync } from "node:zlib";
import { fetch } from "undici";
import { createServer } from "../../apps/api/http/server.js";
import { startHoldfast, type Answer, type Holdfast, type HttpTenant } from "../support/http.js";
import { authOf, bytesOf, expectRefused, JSON_TYPE, open, sendAs, sendRaw } from "./raw.js";

let holdfast: Holdfast;
let tenant: HttpTenant;
let jobId: string;

beforeAll(async () => {
  holdfast = await startHoldfast();
  tenant = await holdfast.tenant();
  jobId = await tenant.job();
});
afterEach(async () => {
  // Nothing here is worth a 5xx, nor may it take or spend anything.
  await tenant.expectAtRest();
});
afterAll(() => holdfast.stop());

const post = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answer> =>
  send("POST", `/v1/jobs`, body, { "content-type": "application/json", "idempotency-key": "limits", ...headers });

async function send(method: string, path: string, body?: string | Uint8Array, headers: object = {}): Promise<Answer> {
  const given = { authorization: `Bearer ${tenant.key}`, ...headers };
  const response = await fetch(holdfast.url + path, { method, headers: given, ...(body !== undefined && { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Answer["body"] };
}

const refused = (answer: Answer) => [answer.status, answer.body.code];
const INVALID = [400, "validation_failed"];

describe("size", () => {
  const bodyOf = (bytes: number) => JSON.stringify({ name: "a".repeat(bytes - '{"name":""}'.length) });
  const LIMIT = 2 * 1024 * 1024;

  it("of a body is 2 MiB", async () => {
    const fits = await post(bodyOf(LIMIT));
    expect(fits.body["errors"]).toMatchObject([{ pointer: "/name" }]);
    const over = await post(bodyOf(LIMIT + 1));
    expect([...refused(over), over.body["detail"]]).toEqual([...INVALID, "The request body must be at most 2 MiB."]);
  });

  it("of a body is counted, not believed: chunks without a length end at the limit", async () => {
    const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
    expectRefused(
      await sendAs(tenant, "POST /v1/jobs HTTP/1.1", [JSON_TYPE, "Transfer-Encoding: chunked"], chunk.repeat(40)),
    );
  });

  it("of a body without a valid key is 16 KiB, and more is not even waited for", async () => {
    const begun = (length: number) =>
      bytesOf("POST /v1/jobs HTTP/1.1", [
        JSON_TYPE,
        `Content-Length: ${length}`,
        `Authorization: Bearer ${tenant.key}x`,
      ]);
    for (const bytes of [
      begun(16 * 1024 + 1),
      begun(LIMIT * 10),
      begun(0).replace("Content-Length: 0", "Transfer-Encoding: chunked"),
    ]) {
      const answer = await sendRaw(holdfast.url, bytes);
      expectRefused(answer, 401, "unauthenticated");
    }
    const small = `{"name":"${"a".repeat(16_000)}"}`;
    const answer = await sendRaw(holdfast.url, begun(small.length) + small);
    expectRefused(answer, 401, "unauthenticated");
  });

  it("of all headers is 16 KiB", async () => {
    expect((await sendAs(tenant, "GET /v1/jobs HTTP/1.1", [`X-A: ${"a".repeat(15_000)}`])).status).toBe(200);
    const over = await sendAs(tenant, "GET /v1/jobs HTTP/1.1", [`X-A: ${"a".repeat(17_000)}`]);
    expectRefused(over);
    expect(over.body).toContain("16 KiB");
  });

  it("of all headers is their only limit: none of many is dropped without a word", async () => {
    const many = Array.from({ length: 2_100 }, (_, i) => `${i.toString(36)}:`);
    const answer = await sendRaw(holdfast.url, bytesOf("GET /v1/jobs HTTP/1.1", [...many, authOf(tenant)]));
    expect(answer.status).toBe(200);
  });

  it("of a URL is that of the headers, and of one part of it 2 400", async () => {
    expect((await sendAs(tenant, `GET /v1/jobs/${"a".repeat(2_400)} HTTP/1.1`)).status).toBe(404);
    expectRefused(await sendAs(tenant, `GET /v1/jobs/${"a".repeat(2_401)} HTTP/1.1`), 404, "not_found");
    expectRefused(await sendAs(tenant, `GET /${"a".repeat(17_000)} HTTP/1.1`));
  });

  it("of a page is 500 rows", async () => {
    expect((await send("GET", "/v1/jobs?limit=500")).status).toBe(200);
    expect(refused(await send("GET", "/v1/jobs?limit=501"))).toEqual(INVALID);
  });

  it("of a batch is 1 000 operations", async () => {
    const of = (length: number) => ({ operations: Array.from({ length }, () => ({ op: "nothing" })) });
    const [fits, over] = [
      await tenant.call("POST", "/v1/batch", of(1_000)),
      await tenant.call("POST", "/v1/batch", of(1_001)),
    ];
    expect(fits.body.results).toHaveLength(1_000);
    expect(refused(over)).toEqual(INVALID);
  });

  it("of a refusal is small, however many faults a request has", async () => {
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field${i}`, 1]));
    const { status, body } = await post(JSON.stringify(fields));
    expect([status, (body["errors"] as object[]).length]).toEqual([400, 20]);
  });
});

describe("time", () => {
  it("to send the headers is 10 s, to send the request 60 s, to stay idle 72 s, to move nothing 5 min", () => {
    const { server } = createServer({ logLevel: "silent" }, { begun: false }).getInstance();
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 72_000,
      timeout: 300_000,
    });
  });

  it("is what a client has that sends its headers drop by drop: others are served, and it is cut off", async () => {
    const slow = open(holdfast.url);
    let told = "";
    slow.on("data", (chunk) => (told += chunk.toString()));
    const ended = new Promise((resolve) => slow.on("close", resolve));
    slow.write("GET /v1/jobs HTTP/1.1\r\nHost: a\r\n");
    const drops = setInterval(() => slow.write("X: 1\r\n"), 500);
    expect((await send("GET", "/v1/jobs")).status).toBe(200);
    await ended;
    clearInterval(drops);
    expect(told).toMatch(/^HTTP\/1.1 400 [^]*"The request did not arrive in time\."/);
  }, 40_000);
});

describe("JSON", () => {
  const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  it.each([
    ["10 000 arrays in each other", deep(10_000)],
    ["a million arrays in each other", deep(1_000_000)],
    ["300 000 objects in each other", `${'{"labels":'.repeat(150_000)}1${"}".repeat(150_000)}`],
    ["arrays in each other where text belongs", `{"name":${deep(10_000)}}`],
    ["an array of 500 000 numbers", `{"labels":[${"1,".repeat(500_000)}1]}`],
    ["__proto__", '{"name":"a","__proto__":{"user":"ada"}}'],
    ["__proto__ in other letters", '{"name":"a","\\u005f\\u005fproto__":{"user":"ada"}}'],
    ["__proto__ far inside", '{"labels":{"a":"b","__proto__":{"c":"d"}}}'],
    ["a constructor's prototype", '{"name":"a","constructor":{"prototype":{"user":"ada"}}}'],
    ["names that every object has", '{"name":"a","toString":"a","hasOwnProperty":"a"}'],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["UTF-16", Buffer.from('\ufeff{"name":"a"}', "utf16le")],
    ["half a surrogate pair", '{"name":"\\ud800"}'],
    ["a NUL", '{"name":"a\\u0000b"}'],
    ["two values", '{"name":"a"}{"name":"b"}'],
    ["a comment", '{"name":"a"/**/}'],
    ["a number beyond every number", '{"allowance":{"tokens":1e400}}'],
    ["a trailing comma", '{"name":"a",}'],
  ])("that has %s is refused", async (_, body) => {
    const before = await holdfast.record.query("SELECT count(*) FROM jobs");
    expect(refused(await post(body))).toEqual(INVALID);
    expect((await holdfast.record.query("SELECT count(*) FROM jobs")).rows).toEqual(before.rows);
  });

  it("names no prototype: what was sent as __proto__ is nowhere later", async () => {
    await post('{"name":"a","__proto__":{"dryRun":true},"constructor":{"prototype":{"dryRun":true}}}');
    expect((await tenant.reserve(jobId, 0)).status).toBe(201);
  });

  it("with a byte order mark is what follows it; of a name that comes twice the last one counts", async () => {
    const text = '{"name":"first","name":"last"}';
    const marked = await post(Buffer.from(`\ufeff${text}`), { "idempotency-key": "twice" });
    expect([marked.status, marked.body["name"]]).toEqual([201, "last"]);
    const plain = await post('{"name":"last"}', { "idempotency-key": "twice" });
    expect([plain.status, plain.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  });

  it.each(["gzip", "br", "deflate", "x-unknown", "gzip, identity"])(
    "packed as %s is not unpacked",
    async (encoding) => {
      for (const body of [gzipSync('{"name":"a"}'), '{"name":"a"}']) {
        const answer = await post(body, { "content-encoding": encoding });
        expect(refused(answer)).toEqual(INVALID);
        expect(answer.body["detail"]).toContain("Content-Encoding");
      }
    },
  );

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "text/json", "*/*"])(
    "is not read as %s, which other sites' forms can send",
    async (type) => expect(refused(await post('{"name":"a"}', { "content-type": type }))).toEqual(INVALID),
  );
});
