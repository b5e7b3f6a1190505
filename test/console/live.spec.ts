import type { Browser, Page } from "playwright-core";
import { openBrowser, seriousFindings, watchedPages } from "../support/browser.js";
import { EventClient, isEvent, tells } from "../support/event-stream.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { eventually } from "../support/record.js";
import { startProxy, type Proxy } from "../support/proxy.js";

/** Longer than the pause between two rounds of questions. */
const QUIET_MS = 3_000;

let holdfast: Holdfast;
let browser: Browser;
let proxy: Proxy;
let tenant: HttpTenant;

beforeAll(async () => {
  [holdfast, browser] = await Promise.all([startHoldfast(), openBrowser()]);
  proxy = await startProxy(holdfast.url);
  tenant = await holdfast.tenant();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await proxy?.stop();
  await holdfast?.stop();
});

const open = watchedPages(() => ({ browser, url: proxy.url.replace(/\/$/, "") }));

async function signedIn(path: string, key: string): Promise<Page> {
  const page = await open(path);
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await badge(page, "Live").waitFor();
  return page;
}

const badge = (page: Page, word: string) => page.getByRole("status").getByText(word, { exact: true });

/** What a page asks for, from now on, besides its stream. */
function asked(page: Page) {
  const paths: string[] = [];
  let last = performance.now();
  page.on("request", (request) => {
    last = performance.now();
    paths.push(new URL(request.url()).pathname);
  });
  return { paths, quietMs: () => performance.now() - last };
}

/** What was told may be told once more; then so much time passes that whatever asks by the clock would ask. */
async function expectQuiet(page: Page): Promise<void> {
  const { paths, quietMs } = asked(page);
  await eventually(async () => quietMs() > QUIET_MS);
  paths.length = 0;
  await page.clock.fastForward(30_000);
  await page.evaluate("1");
  expect(paths).toEqual([]);
}

describe("a page of the console", () => {
  it("shows a change by itself, and asks for nothing while nothing changes", async () => {
    const page = await signedIn("/jobs", tenant.key);
    await page.clock.install();
    const job = await tenant.job({ name: "a job that comes" });
    await page.getByRole("link", { name: "a job that comes" }).waitFor();
    await tenant.call("POST", `/v1/jobs/${job}/cancel`);
    await page.getByRole("cell", { name: "cancelled" }).waitFor();
    await expectQuiet(page);
  }, 30_000);

  it("shows a denial by itself, and asks for none while none comes", async () => {
    const page = await signedIn("/denials", tenant.key);
    await page.clock.install();
    await page.getByText("Nothing was denied.").waitFor();
    expect(await tenant.reserve(await tenant.job(), 1_000_000)).toMatchObject({ status: 402 });
    await page.getByRole("cell", { name: "can never fit" }).waitFor();
    await expectQuiet(page);
  }, 30_000);

  it("says that it reconnects while it is cut off, and shows what changed meanwhile once it is back", async () => {
    const page = await signedIn("/jobs", tenant.key);
    const { quietMs } = asked(page);
    const witness = await EventClient.connect(holdfast.url, tenant.key, "/v1/events");
    await witness.first(isEvent("everything"));
    // Nothing is under way that would be tried again.
    await eventually(async () => quietMs() > 1_000);
    proxy.set("cut");
    try {
      await badge(page, "Reconnecting …").waitFor();
      await tenant.job({ name: "made meanwhile" });
      // So that it was told when the page comes back.
      await witness.first(tells("jobs"));
      await witness.close();
    } finally {
      proxy.set("open");
    }
    await badge(page, "Live").waitFor();
    await page.getByRole("link", { name: "made meanwhile" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("shows a breaker that opens, and when it was open", async () => {
    const breaker = { failures: 3, windowMs: 1_000, resetMs: 60_000, probes: 1 };
    await holdfast.admin("PUT", "/v1/admin/services/live-model", { concurrency: 3, breaker });
    const page = await signedIn("/services/live-model", holdfast.adminKey);
    await page.getByText("breaker closed").waitFor();
    await holdfast.admin("POST", "/v1/admin/services/live-model/breaker", { state: "open" });
    await page.getByText("breaker open").waitFor();
    await page.getByText(/The breaker was open \d/).waitFor();
    await page.getByRole("button", { name: "Reset the breaker …" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("says that its key was revoked, by itself, and what to do", async () => {
    const { id, key } = (await holdfast.admin("POST", `/v1/admin/tenants/${tenant.id}/keys`, { name: "short-lived" }))
      .body;
    const page = await signedIn("/denials", key);
    await page.getByRole("heading", { name: "Denials" }).first().waitFor();
    await holdfast.admin("DELETE", `/v1/admin/tenants/${tenant.id}/keys/${id}`);
    await page.getByRole("alert").filter({ hasText: "401 unauthenticated" }).first().waitFor();
    await page.getByRole("button", { name: "Sign in with another key" }).first().click();
    await page.getByLabel("Key", { exact: true }).waitFor();
  });

  it("polls where there is no stream to be had", async () => {
    const page = await open("/jobs");
    await page.route("**/v1/events", (route) => route.abort());
    await page.getByLabel("Key", { exact: true }).fill(tenant.key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await badge(page, "Reconnecting …").waitFor();
    await badge(page, "Polling").waitFor({ timeout: 20_000 });
    await tenant.job({ name: "found by asking" });
    await page.getByRole("link", { name: "found by asking" }).waitFor({ timeout: 15_000 });
  }, 45_000);
});
