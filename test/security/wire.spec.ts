import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { authOf, bytesOf, expectRefused, JSON_TYPE, sendAs, sendRaw } from "./raw.js";

let holdfast: Holdfast;
let tenant: HttpTenant;

beforeAll(async () => {
  holdfast = await startHoldfast();
  tenant = await holdfast.tenant();
});
afterEach(async () => {
  await tenant.expectAtRest();
});
afterAll(() => holdfast.stop());

describe("bytes on the wire", () => {
  const chunked = "2\r\n{}\r\n0\r\n\r\n";
  const smuggled = `0\r\n\r\nGET /v1/balances HTTP/1.1\r\nHost: a\r\n\r\n`;

  it.each([
    ["a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"], smuggled],
    ["chunks and a length", ["Transfer-Encoding: chunked", "Content-Length: 4"], smuggled],
    ["two lengths", ["Content-Length: 2", "Content-Length: 40"], "{}"],
    ["a length that is no number", ["Content-Length: +2"], "{}"],
    ["an encoding that is not chunked in the end", ["Transfer-Encoding: chunked, identity"], chunked],
    ["an encoding that only looks like chunked", ["Transfer-Encoding: xchunked"], chunked],
    ["a blank before the colon", ["Transfer-Encoding : chunked"], chunked],
    ["chunks of no size", ["Transfer-Encoding: chunked"], "zz\r\n{}\r\n0\r\n\r\n"],
    [
      "a chunk with 20 000 letters about it",
      ["Transfer-Encoding: chunked"],
      `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    ],
    ["a header over two lines", ["X-A: a\r\n b"], ""],
    ["a line feed alone", ["X-A: a\nX-B: b"], ""],
    ["a carriage return alone", ["X-A: a\rX-B: b"], ""],
    ["a NUL in a header", ["X-A: a\0"], ""],
    ["a header without a name", [": a"], ""],
    ["an expectation that is not known", ["Expect: tea", "Content-Length: 2"], "{}"],
  ])("that have %s are refused once, and their connection ends", async (_, headers, body) => {
    const answer = await sendAs(
      tenant,
      "POST /v1/jobs HTTP/1.1",
      [JSON_TYPE, "Idempotency-Key: wire", ...headers],
      body,
    );
    expectRefused(answer);
    expect(answer.all.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("that are no HTTP, or that of a later age, are refused", async () => {
    for (const bytes of [
      "\x16\x03\x01\x02\0\x01",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET\r\n\r\n",
      "nonsense\r\n\r\n",
    ]) {
      expectRefused(await sendRaw(holdfast.url, bytes));
    }
  });

  it("without a Host are refused, unless they are of the age before it", async () => {
    const of = (version: string) => `GET /v1/jobs HTTP/${version}\r\nConnection: close\r\n${authOf(tenant)}\r\n\r\n`;
    expectRefused(await sendRaw(holdfast.url, of("1.1")));
    expect((await sendRaw(holdfast.url, of("1.0"))).status).toBe(200);
  });
});

describe("methods and paths", () => {
  it.each(["TRACE", "OPTIONS", "PATCH", "PUT", "PROPFIND", "DELETE"])(
    "%s where it is not a route is 404",
    async (method) => {
      const answer = await sendAs(tenant, `${method} /v1/jobs HTTP/1.1`, [
        "Origin: https://elsewhere.example",
        "X-Secret: echo",
      ]);
      expectRefused(answer, 404, "not_found");
      expect(answer.all).not.toMatch(/access-control|echo/i);
    },
  );

  it("CONNECT ends the connection, and an upgrade is not taken", async () => {
    expect((await sendAs(tenant, "CONNECT a:443 HTTP/1.1")).status).toBe(0);
    const upgrade = await sendAs(tenant, "GET /v1/jobs HTTP/1.1", ["Connection: Upgrade", "Upgrade: websocket"]);
    expect(upgrade.status).toBe(200);
  });

  it("HEAD needs a key like GET, and has no body", async () => {
    const head = await sendAs(tenant, "HEAD /v1/jobs HTTP/1.1");
    expect([head.status, head.body]).toEqual([200, ""]);
    expect((await sendRaw(holdfast.url, bytesOf("HEAD /v1/jobs HTTP/1.1"))).status).toBe(401);
  });

  it.each([
    "/v1/jobs/../admin/tenants",
    "/v1/jobs/%2e%2e/%2e%2e/admin/tenants",
    "/v1/jobs/%252e%252e",
    "/v1/jobs/..%2fadmin%2ftenants",
    "/v1//jobs",
    "//v1/jobs",
    "/v1/jobs/",
    "/V1/jobs",
    "/v1/jobs%00",
    "/v1/jobs/%00",
    "/v1/jobs/%0d%0aX:%20a",
    "/v1/jobs;a=b",
    "/docs/..%2f..%2fpackage.json",
    "/docs/%2e%2e%2f%2e%2e%2fpackage.json",
    "/docs-json",
    "/.env",
  ])("%s leads nowhere", async (path) => expectRefused(await sendAs(tenant, `GET ${path} HTTP/1.1`), 404, "not_found"));

  it.each(["/v1/jobs/%zz", "/v1/jobs/%ff", "/docs/../package.json", "/v1/jobs?a=1&__proto__=2", "/v1/jobs?limit[]=1"])(
    "%s is refused as it stands",
    async (path) => expectRefused(await sendAs(tenant, `GET ${path} HTTP/1.1`)),
  );

  it("of another host are served as what they are here, and lead to no other", async () => {
    expect((await sendAs(tenant, "GET http://elsewhere.example/v1/jobs HTTP/1.1")).status).toBe(200);
    const home = await sendAs(tenant, "GET http://elsewhere.example HTTP/1.1");
    const here = await sendAs(tenant, "GET / HTTP/1.1");
    expect([home.status, home.headers.get("location")]).toEqual([here.status, here.headers.get("location")]);
    expect(home.headers.get("location") ?? "").not.toContain("elsewhere");
  });
});
