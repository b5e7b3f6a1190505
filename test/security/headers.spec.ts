import { fetch } from "undici";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { neighbourOf, type Neighbour } from "./neighbour.js";
import { bytesOf, sendRaw } from "./raw.js";
import { requestOf } from "./requests.js";
import { OPERATIONS, STREAMS } from "./routes.js";

let holdfast: Holdfast;
let own: Neighbour;

beforeAll(async () => {
  holdfast = await startHoldfast();
  own = await neighbourOf(holdfast, "heron");
});
afterAll(() => holdfast.stop());

type Headers = { get(name: string): string | null | undefined };

/** What every answer says, and what none does. */
const SAID = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
/** TLS ends before Holdfast, and so does the promise of it; no other site may read, and nobody need know what runs here. */
const UNSAID = [
  "strict-transport-security",
  "access-control-allow-origin",
  "server",
  "x-powered-by",
  "set-cookie",
  "etag",
];

const DATA = "default-src 'none'; frame-ancestors 'none'";

function expectSaid(headers: Headers, policy: string | RegExp = DATA): void {
  expect(Object.fromEntries(Object.keys(SAID).map((name) => [name, headers.get(name)]))).toEqual(SAID);
  for (const name of UNSAID) expect([name, headers.get(name) ?? null]).toEqual([name, null]);
  expect(headers.get("content-security-policy")).toMatch(policy);
}

describe("the headers of every answer", () => {
  it.each([...OPERATIONS, ...STREAMS].map((operation) => [operation.id, operation] as const))(
    "of %s",
    async (_, operation) => {
      const { method, path, body } = requestOf(operation, own.values);
      const key = operation.opens === "admin" ? holdfast.adminKey : own.tenant.key;
      expectSaid((await holdfast.call("nobody", method, path, body)).headers);
      expectSaid((await holdfast.call(key, method, `${path}?nothing=1`, body)).headers);
      // Not what ends the tenant that the others use, nor what does not end.
      if (method !== "DELETE" && !operation.streams) expectSaid((await holdfast.call(key, method, path, body)).headers);
    },
  );

  it("that no route gives", async () => {
    for (const path of [
      "/v1/nowhere",
      "/v1/jobs/%zz",
      `/v1/jobs/${"a".repeat(3_000)}`,
      "/openapi.json",
      "/documents",
    ]) {
      expectSaid((await fetch(holdfast.url + path)).headers);
    }
    for (const line of ["nonsense", "PRI * HTTP/2.0", "GET / HTTP/1.1\r\nExpect: tea"]) {
      expectSaid((await sendRaw(holdfast.url, bytesOf(line))).headers);
    }
    expectSaid((await sendRaw(holdfast.url, "GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n")).headers);
  });

  it("of pages let them run their own scripts, and nothing from elsewhere", async () => {
    for (const path of ["/docs", "/docs/", "/docs/errors", "/docs/nothing"]) {
      const { headers } = await fetch(holdfast.url + path);
      expectSaid(headers, /^default-src 'self'; .*frame-ancestors 'none'/);
      const script = /script-src|unsafe-eval|https?:|\*/;
      expect(headers.get("content-security-policy")).not.toMatch(script);
    }
    // The same for everybody, and asked after each time.
    const style = await fetch(`${holdfast.url}/docs/swagger-ui.css`);
    expect(style.headers.get("cache-control")).toBe("public, max-age=0");
    expect(style.headers.get("x-content-type-options")).toBe("nosniff");
    const page = await (await fetch(`${holdfast.url}/docs`)).text();
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(page).not.toMatch(/<script>[^<]|<script [^>]*>[^<\s]/);
  });

  it("of the console let it run its own files and ask its own API, and nothing inline", async () => {
    const start = await fetch(`${holdfast.url}/`);
    const page = await start.text();
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ";
    expectSaid(start.headers, new RegExp(`^${policy}`));
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\/|<style|style=|<script>[^<]|<script [^>]*>[^<\s]/);
    // Every page of the console begins the same; what is not one of its pages is not shadowed.
    for (const path of ["/lab", "/lab?jobs=3", "/tenants/ten_1", "/jobs/job_1", "/services", "/reconciler"]) {
      const { headers, ...answer } = await fetch(holdfast.url + path).then(async (got) => ({
        headers: got.headers,
        status: got.status,
        text: await got.text(),
      }));
      expectSaid(headers, new RegExp(`^${policy}`));
      expect([path, answer]).toEqual([path, { status: 200, text: page }]);
    }
    for (const path of ["/laboratory", "/tenantsx", "/v1/lab", "/assets", "/index.html"]) {
      const { status, headers } = await fetch(holdfast.url + path);
      expect([path, status]).toEqual([path, 404]);
      expectSaid(headers);
    }
    const assets = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      const { headers, status } = await fetch(holdfast.url + path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
      expect(headers.get("content-encoding")).toBe("gzip");
    }
    const missing = await fetch(`${holdfast.url}/assets/..%2Findex.html`);
    expect([missing.status, missing.headers.get("cache-control")]).toEqual([404, "no-store"]);
  });
});
