import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { openBrowser, seriousFindings, watchedPages } from "../support/browser.js";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { runProgram } from "../support/program.js";
import { OPERATOR_WALKS } from "./operator-walks.js";

interface Demo {
  readonly tenants: readonly { readonly id: string; readonly name: string; readonly key: string }[];
}

let holdfast: Holdfast;
let browser: Browser;
/** What `npm run demo` made. */
let demo: Demo;
let research: Demo["tenants"][number];

beforeAll(async () => {
  [holdfast, browser] = await Promise.all([startHoldfast(), openBrowser()]);
  const made = await runProgram("demo/main.js", ["--json", "--url", holdfast.url, "--admin-key", holdfast.adminKey]);
  expect([made.code, made.err]).toEqual([0, ""]);
  demo = JSON.parse(made.out) as Demo;
  research = demo.tenants.find(({ name }) => name === "Acme Research")!;
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await holdfast?.stop();
});

const open = watchedPages(() => ({ browser, url: holdfast.url }));

/** A page as somebody sees it who has signed in. */
async function signedIn(path: string, key = holdfast.adminKey, options = {}): Promise<Page> {
  const page = await open(path, options);
  await page.getByLabel("Key", { exact: true }).fill(key);
  await button(page, "Sign in").click();
  await button(page, "Sign out").waitFor();
  return page;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const tenantPath = (rest = ""): string => `/tenants/${research.id}${rest}`;

describe("the operator", () => {
  it.each(Object.entries(OPERATOR_WALKS))("%s", (_, walk) => walk({ holdfast, tenant: research, signedIn }));
});

describe("the console", () => {
  it("lists tenants with what they have, and shows their words as words", async () => {
    const page = await signedIn("/tenants");
    await page.getByText(`Delta & <img src=x onerror="document.title='run'"> Sons`).waitFor();
    expect(await page.title()).toBe("Tenants · Holdfast");
    await page.getByLabel("State").selectOption("suspended");
    await page.getByText("Tenant 0001").waitFor({ state: "detached" });
    await page.getByRole("row", { name: /Cedar Labs/ }).waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
    await page.getByRole("img", { name: "calls: 0 spent, 0 reserved, 10,000 of 10,000 available" }).waitFor();
  });

  it("tops up an allowance with a reason that the ledger keeps, once though the answer was lost", async () => {
    const page = await signedIn(tenantPath());
    await page.getByText("Limit 120,000 each day, UTC").waitFor();
    await button(page, "Top up or cut tokens …").click();
    await page.getByLabel("Change of the limit").fill("5000");
    await page.getByLabel("Reason").fill("a trial");
    await page.context().setOffline(true);
    await button(page, "Top up").click();
    await page.getByRole("dialog").getByText("The connection was lost").waitFor();
    expect(await page.getByLabel("Reason").inputValue()).toBe("a trial");
    await page.context().setOffline(false);
    // The request arrives, its answer does not.
    await page.route("**/adjust", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button(page, "Top up").click();
    await page.getByRole("dialog").getByText("The connection was lost").waitFor();
    await page.unroute("**/adjust");
    await button(page, "Top up").click();
    await page.getByText("Limit 125,000 each day, UTC").waitFor();
    await page.getByRole("link", { name: "Ledger" }).click();
    await page.getByRole("cell", { name: "reserve", exact: true }).first().waitFor();
    await page.getByLabel("Entry").selectOption("limit");
    await page.getByRole("cell", { name: "reserve", exact: true }).first().waitFor({ state: "detached" });
    await page.getByText("120,000 → 125,000; by operator; a trial").waitFor();
    expect(await page.getByText("a trial").count()).toBe(1);
  });

  it("filters the ledger and saves what it shows as CSV", async () => {
    const page = await signedIn(tenantPath("/ledger?user=linus"));
    await page.getByText("settle, late").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export CSV").click()]);
    const [head, ...rows] = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(head).toBe("id,at,type,unit,reserved,spent,user,jobId,reservationId,scopes,detail");
    expect(rows.map((row) => row.split(",").slice(2, 7).join(" "))).toEqual([
      "settle tokens 0 1350 linus",
      "expire tokens -1200 0 linus",
      "reserve tokens 1200 0 linus",
    ]);
  });

  it("suspends only when confirmed, and resumes", async () => {
    const page = await signedIn(tenantPath());
    await button(page, "Suspend …").click();
    await button(page, "Back").click();
    expect(await stateOf(research.id)).toBe("active");
    await button(page, "Suspend …").click();
    await page.getByLabel("Reason").fill("unpaid");
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
    await page.getByText(/Suspended by operator, .*: unpaid/).waitFor();
    await button(page, "Resume …").click();
    expect(await stateOf(research.id)).toBe("suspended");
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await button(page, "Suspend …").waitFor();
    expect(await stateOf(research.id)).toBe("active");
    await page.getByRole("link", { name: "Journal" }).click();
    await page.getByRole("row", { name: /operator suspended it unpaid/ }).waitFor();
  });

  it("makes a key, shows it once, and revokes it", async () => {
    const page = await signedIn(tenantPath("/keys"));
    await button(page, "New key …").click();
    await page.getByLabel("Name").fill("trial");
    await button(page, "Make it").click();
    const key = await page.getByTestId("new-key").innerText();
    expect((await holdfast.call(key, "GET", "/v1/balances")).status).toBe(200);
    await page.reload();
    await button(page, "Revoke trial …").click();
    expect(await page.getByText(key).count()).toBe(0);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText(/revoked \d/).waitFor();
  });

  it("shows a tenant its jobs, their tree, reservations and attempts, and cancels when confirmed", async () => {
    const page = await signedIn("/jobs", research.key);
    await page.getByRole("link", { name: "Enrich 4 accounts" }).click();
    await button(page, "Show its attempts").click();
    await page.getByText("child 3, attempt 3: succeeded, 620 tokens, 1,500 usd_micros").waitFor();
    await page.getByLabel("Children").fill("90");
    await page.getByLabel("Cost of an attempt").fill("1000");
    await button(page, "Ask").click();
    await page
      .getByText("Denied by the job allowance of tokens: 180,000 asked and 24,120 of 30,000 available")
      .waitFor();
    await page.getByRole("heading", { name: "User ada" }).waitFor();
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("link", { name: "Market study" }).click();
    await button(page, "Child jobs of Write the report").click();
    await page.getByRole("link", { name: "Draw the charts" }).waitFor();
    await button(page, "Cancel …").click();
    await button(page, "Cancel the job").click();
    await page.getByText("cancelled").first().waitFor();
    await page.getByRole("link", { name: "Draw the charts" }).click();
    await page.getByText("cancelled").first().waitFor();
  });

  it("explains a denial by every scope, its figures then and its last movements, and marks what was only observed", async () => {
    const page = await signedIn(tenantPath());
    await page.getByRole("link", { name: "Denials" }).click();
    await page.getByRole("link", { name: "job allowance of tokens" }).first().click();
    await page.getByText("180,000 asked and 30,000 of 30,000 available").waitFor();
    await page.getByText("asked for 40 children × 5 attempts × 900 tokens. At most 6 children").waitFor();
    const scope = (kind: string) => page.getByRole("region", { name: new RegExp(`^${kind}.*, tokens$`) });
    await scope("job").getByText("it decided").waitFor();
    await scope("tenant").getByText("it would not fit here either").waitFor();
    await scope("user ada")
      .getByText(/^Its last \d+ movements before the denial$/)
      .click();
    expect(await seriousFindings(page)).toEqual([]);
    await scope("user ada")
      .getByRole("row", { name: /reserve \+/ })
      .getByRole("link")
      .click();
    await page
      .getByRole("region", { name: "Ledger" })
      .getByRole("row", { name: /reserve/ })
      .first()
      .waitFor();
    const { key } = demo.tenants.find(({ name }) => name === "Borealis")!;
    const own = await signedIn("/denials", key);
    await own
      .getByRole("row", { name: /only observed/ })
      .getByRole("link")
      .first()
      .click();
    await own.getByText("The tenant only observes, so it was let through.").waitFor();
  });

  it("shows an open breaker, resets it and trips it when confirmed", async () => {
    const page = await signedIn("/services");
    await page
      .getByRole("row", { name: /search/ })
      .getByText("breaker open")
      .waitFor();
    await page.getByRole("link", { name: "search" }).click();
    await button(page, "Reset the breaker …").click();
    await button(page, "Reset the breaker").click();
    await page.getByText("breaker closed").waitFor();
    await button(page, "Trip the breaker …").click();
    await button(page, "Trip the breaker").click();
    await page.getByText("breaker open").waitFor();
  });

  it("runs the reconciler and shows what it found", async () => {
    const page = await signedIn("/reconciler");
    await button(page, "Run").click();
    await page
      .getByRole("status")
      .getByText(/audit: ok, \d+ handled/)
      .waitFor();
    await page.getByLabel("Task").selectOption("audit");
    await page
      .getByRole("row", { name: /manual/ })
      .getByText(/0 differences at \d+ tenants/)
      .first()
      .waitFor();
  });

  it("sets a webhook, shows its secret once, and what was sent of it", async () => {
    const page = await signedIn(tenantPath("/webhooks"));
    await button(page, "New webhook …").click();
    await page.getByLabel("Name").fill("billing");
    await page.getByLabel("Address").fill("ftp://hooks.example.com/x");
    await button(page, "Set it").click();
    await page.getByRole("dialog").getByText("400 validation failed").waitFor();
    await page.getByLabel("Address").fill("https://hooks.example.com/x");
    await button(page, "Set it").click();
    await page.getByText("It is shown this once").waitFor();
    await button(page, "billing").click();
    await page.getByText("Nothing was sent.").waitFor();
    await button(page, "Delete billing …").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nobody is told yet.").waitFor();
  });

  it("shows on its overview health, decisions, amounts, sheds and breakers", async () => {
    const page = await signedIn("/");
    await page.getByText("5 breaker open").waitFor();
    await page.getByRole("link", { name: "search" }).waitFor();
    await page.locator(".recharts-legend-item-text", { hasText: "shed a second" }).waitFor();
    await page.getByRole("row", { name: /^units 720 480 480 0$/ }).waitFor();
    expect(await page.getByText("Redis", { exact: true }).locator("xpath=..").innerText()).toMatch(/used/);
  });

  it("keeps a long list short in the page, and reaches its end", async () => {
    const crowd = Array.from({ length: 120 }, (_, number) => ({ name: `crowd ${number}`, allowances: {} }));
    await Promise.all(crowd.map((tenant) => holdfast.admin("POST", "/v1/admin/tenants", tenant)));
    const page = await signedIn("/tenants");
    await page.getByText(/crowd/).first().waitFor();
    const end = page.getByText("Acme Research");
    const isThere = (): Promise<boolean> =>
      end.waitFor({ timeout: 250 }).then(
        () => true,
        () => false,
      );
    for (let turn = 0; turn < 40 && !(await isThere()); turn += 1) await page.mouse.wheel(0, 3_000);
    await end.waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(70);
  });

  it("has no serious finding of axe", async () => {
    const page = await signedIn("/");
    const tabs = ["", "/ledger", "/services", "/journal"].map(tenantPath);
    for (const path of [...tabs, "/services/model-large", "/"]) {
      await page.goto(holdfast.url + path);
      await page.getByRole("heading").nth(1).waitFor();
      expect([path, await seriousFindings(page)]).toEqual([path, []]);
    }
    await button(page, "Use dark colours").click();
    expect(await seriousFindings(page, ["color-contrast"])).toEqual([]);
  }, 60_000);
});

async function stateOf(tenantId: string): Promise<string> {
  return (await holdfast.admin("GET", `/v1/admin/tenants/${tenantId}`)).body.state;
}
