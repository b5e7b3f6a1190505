import type { Locator, Page } from "playwright-core";
import { describedBy, seriousFindings } from "../support/browser.js";
import type { Holdfast } from "../support/http.js";

interface World {
  readonly holdfast: Holdfast;
  /** A tenant of the demo's. */
  readonly tenant: { readonly id: string; readonly key: string };
  /** A page of somebody who has signed in, by default the operator. */
  readonly signedIn: (path: string, key?: string) => Promise<Page>;
}

type Walk = (world: World) => Promise<void>;

const button = (of: Page | Locator, name: string) => of.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByRole("dialog").getByLabel(name, { exact: true });

/** A list's label holds its options. */
const choice = (page: Page, name: string) => page.getByRole("dialog").getByLabel(name);

/** The texts and buttons of a page that reach beyond its window or the panel that they stand in. */
const BEYOND = `[...document.querySelectorAll("main :is(th, td, button, p, span)")]
  .filter((each) => getComputedStyle(each.closest("thead") ?? each).clipPath === "none")
  .filter((each) => {
    const edge = (each.closest("section") ?? document.documentElement).getBoundingClientRect().right;
    const { width, right } = each.getBoundingClientRect();
    return width > 0 && right > Math.min(edge, document.documentElement.clientWidth) + 1;
  })
  .map((each) => each.tagName + " " + each.textContent.slice(0, 40))`;

const at = ({ tenant }: World, rest = ""): string => `/tenants/${tenant.id}${rest}`;

/** What the operator does in the console, by what it proves. */
export const OPERATOR_WALKS: Readonly<Record<string, Walk>> = {
  "shows the operator a tenant's job whole, and cancels it with a reason that both sides see": async (world) => {
    const { holdfast, tenant, signedIn } = world;
    const call = (body: object) => holdfast.call(tenant.key, "POST", "/v1/jobs", body);
    const { id: parentJobId } = (await call({ name: "Crawl it all" })).body;
    await call({ name: "Crawl a part", parentJobId, grant: { tokens: 5 } });
    const page = await signedIn(at(world, "/jobs"));
    await page.getByRole("link", { name: "Enrich 4 accounts" }).click();
    await button(page, "Show its attempts").click();
    await page.getByText("child 3, attempt 3: succeeded, 620 tokens, 1,500 usd_micros").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("link", { name: "Crawl it all" }).click();
    await page.getByRole("link", { name: "Crawl a part" }).waitFor();
    expect(await button(page, "Close …").count()).toBe(0);
    await button(page, "Cancel …").click();
    await field(page, "Reason").fill("<b>runs away</b>");
    await button(page, "Cancel the job").click();
    await page.getByText("Cancelled by operator: <b>runs away</b>").waitFor();
    await page.getByRole("link", { name: "Crawl a part" }).click();
    await page.getByText("cancelled").first().waitFor();
    await page.goto(holdfast.url + at(world, "/journal"));
    await page.getByRole("row", { name: /operator cancelled a job job_.* <b>runs away<\/b>/ }).waitFor();
    const own = await signedIn(`/jobs/${parentJobId}`, tenant.key);
    await own.getByText("Cancelled by operator: <b>runs away</b>").waitFor();
  },

  "changes a tenant, and what was wrong stands beside its field with all that was typed": async (world) => {
    const { signedIn } = world;
    const page = await signedIn(at(world));
    await button(page, "Edit …").click();
    await field(page, "Limit of each job in tokens").fill("many");
    expect(await describedBy(field(page, "Limit of each job in tokens"))).toContain("whole number");
    expect(await button(page, "Change it").isDisabled()).toBe(true);
    await field(page, "Limit of each job in tokens").fill("90000");
    await choice(page, "Mode").selectOption("observe");
    await field(page, "Reason").fill("to compare");
    await button(page, "Change it").click();
    await page.getByText("Each job: 90,000 tokens").waitFor();
    await page.locator("#content").getByText("observe", { exact: true }).waitFor();
    await button(page, "Edit …").click();
    await choice(page, "Mode").selectOption("enforce");
    await button(page, "Change it").click();
    await page.locator("#content").getByText("enforce", { exact: true }).waitFor();
    await button(page, "Another unit …").click();
    await field(page, "Unit").fill("tokens");
    await field(page, "Limit").fill("5");
    expect(await describedBy(field(page, "Unit"))).toContain("It has one already");
    expect(await button(page, "Set it").isDisabled()).toBe(true);
    // A click beside the form does not close it.
    await page.mouse.click(5, 500);
    await button(page, "Back").click();
    await button(page, "Edit tokens …").click();
    await field(page, "Time zone").fill("Mars/Base");
    await button(page, "Set it").click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await describedBy(field(page, "Time zone"))).toContain("must be the name of an IANA time zone");
    expect(await field(page, "Time zone").inputValue()).toBe("Mars/Base");
    await button(page, "Back").click();
    await page.getByRole("link", { name: "Journal" }).click();
    await page.getByRole("row", { name: /operator made it observe only to compare/ }).waitFor();
  },

  "lists the users of a tenant, gives one a limit of its own in the tenant's period, and takes it away": async (
    world,
  ) => {
    const { holdfast, tenant, signedIn } = world;
    const page = await signedIn(at(world, "/users"));
    await page.getByRole("link", { name: "ada", exact: true }).click();
    await button(page, "Own limit in tokens …").click();
    await field(page, "Limit").fill("4000");
    await button(page, "Set it").click();
    await page.getByText("Limit 4,000, its own").waitFor();
    await page.getByRole("row", { name: /^ada tokens/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const { body } = await holdfast.admin("GET", `/v1/admin/tenants/${tenant.id}/users/ada/allowances`);
    expect(body["data"]).toMatchObject([{ unit: "tokens", limit: 4_000, period: null }]);
    await button(page, "Remove own limit in tokens …").click();
    await field(page, "Reason").fill("the trial is over");
    await button(page, "Remove it").click();
    await page.getByText("Limit 60,000", { exact: true }).waitFor();
    const [last] = (await holdfast.admin("GET", `/v1/admin/tenants/${tenant.id}/ledger?type=limit&order=newest`)).body[
      "data"
    ] as object[];
    expect(last).toMatchObject({ detail: { from: 4_000, to: 60_000, reason: "the trial is over" } });
  },

  "deletes a tenant with a reason, and shows what it was without a button that would be refused": async (world) => {
    const { holdfast, signedIn } = world;
    const { id } = await holdfast.tenant();
    const page = await signedIn(`/tenants/${id}`);
    await button(page, "Another unit …").and(page.locator(":enabled")).waitFor();
    await button(page, "Delete …").click();
    await field(page, "Reason").fill("asked for it");
    await button(page, "Delete").click();
    await page.getByRole("heading", { name: "Tenants", exact: true }).waitFor();
    for (const [path, name] of [
      ["", "Another unit …"],
      ["/keys", "New key …"],
      ["/services", "At a service …"],
      ["/users?user=ada", "Own limit in tokens …"],
    ] as const) {
      await page.goto(`${holdfast.url}/tenants/${id}${path}`);
      await page.getByText(/Deleted by operator, .*: asked for it/).waitFor();
      await button(page, name).and(page.locator(":disabled")).waitFor();
    }
    expect(await seriousFindings(page)).toEqual([]);
  },

  "makes a service and edits all that is set for it": async (world) => {
    const { holdfast, signedIn } = world;
    const page = await signedIn("/services");
    await button(page, "New service").click();
    await field(page, "Name of the service").fill("search");
    await field(page, "Calls or tokens a second").fill("2.5");
    await field(page, "Callers that wait").fill("7");
    await button(page, "Set it").click();
    await page.getByRole("dialog").getByText("search is set already").waitFor();
    expect(await describedBy(field(page, "Name of the service"))).toContain("is set already");
    await field(page, "Name of the service").fill("walked");
    await button(page, "Set it").click();
    await page.getByRole("dialog").getByText("400 validation failed").waitFor();
    expect(await describedBy(field(page, "Longest wait, ms"))).toContain("is required");
    await field(page, "Longest wait, ms").and(page.locator(":focus")).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await field(page, "Longest wait, ms").fill("500");
    await button(page, "Another allowance").click();
    await field(page, "Unit").fill("tokens");
    await field(page, "Limit").fill("900");
    await choice(page, "Period").selectOption("day");
    await button(page, "Set it").click();
    await page.getByRole("link", { name: "walked" }).click();
    await button(page, "Edit …").click();
    const settings = { queue: { max: 7, maxWaitMs: 500 }, allowances: { tokens: { limit: 900, period: "day" } } };
    await holdfast.admin("PUT", "/v1/admin/services/walked", settings);
    await button(page, "Set it").click();
    await page.getByRole("dialog").getByText("were changed since this form was opened").waitFor();
    await button(page, "Back").click();
    await page.getByText("Rate: not bound").waitFor();
    await button(page, "Edit …").click();
    await field(page, "Calls or tokens a second").fill("");
    await field(page, "Attempts in flight").fill("4");
    await field(page, "Reason").fill("fewer at once");
    await button(page, "Set it").click();
    await page.getByText("Concurrency: 4").waitFor();
    await page.getByRole("cell", { name: /concurrency none → 4; by operator; fewer at once/ }).waitFor();
    const { body } = await holdfast.admin("GET", "/v1/admin/services/walked");
    expect(body).toMatchObject({
      concurrency: 4,
      queue: { max: 7, maxWaitMs: 500 },
      allowances: { tokens: { limit: 900, period: "day", timeZone: "UTC" } },
    });
    expect(body["ratePerSecond"]).toBeUndefined();
  },

  "bounds one tenant at a service, and removes that when confirmed": async (world) => {
    const { signedIn } = world;
    const page = await signedIn(at(world, "/services"));
    await button(page, "At a service …").click();
    await field(page, "Name of the service").fill("model-large");
    await field(page, "Attempts in flight").fill("2");
    await button(page, "Another allowance").click();
    await field(page, "Unit").fill("carrots");
    await field(page, "Limit").fill("700");
    await button(page, "Set it").click();
    await page.getByRole("dialog").getByText("422 unit unknown").waitFor();
    await field(page, "Unit").fill("tokens");
    await button(page, "Set it").click();
    await page.getByText("0 of 2 in flight, 0 waiting").waitFor();
    await page.getByRole("img", { name: "tokens: 0 spent, 0 reserved, 700 of 700 available" }).waitFor();
    await page.getByRole("link", { name: "model-large" }).click();
    const own = page.getByRole("row", { name: /Acme Research/ });
    await own.getByText("0 of 2 in flight").waitFor();
    await button(own, "Edit model-large …").click();
    await field(page, "Attempts in flight").fill("3");
    await button(page, "Set it").click();
    await own.getByText("0 of 3 in flight").waitFor();
    await button(own, "Remove model-large …").click();
    await button(page, "Remove it").click();
    await page.getByText("None: all tenants are bound alike.").waitFor();
  },

  "shows a ledger newest first, or oldest first": async (world) => {
    const { signedIn } = world;
    const page = await signedIn(at(world, "/ledger?type=reserve"));
    const first = page.getByRole("row").nth(1).getByRole("cell").first();
    await first.waitFor();
    const newest = await first.innerText();
    await page.getByLabel("Order").selectOption("oldest first");
    await page.waitForURL(/order=oldest/);
    await page.getByRole("row").nth(1).waitFor();
    expect((await first.innerText()) <= newest).toBe(true);
    await page.getByRole("row").nth(1).getByRole("link").click();
    await page.getByRole("heading", { name: "Reservations" }).waitFor();
    await page.goBack();
    await first.waitFor();
    const dates = await page.getByRole("row").getByRole("cell").first().allInnerTexts();
    expect(dates).toEqual([...dates].sort());
  },

  "keeps every column and button in sight, however long the names are that a tenant chose": async (world) => {
    const { holdfast, signedIn } = world;
    const name = "W".repeat(120);
    const units = Object.fromEntries(["a", "b", "c", "d"].map((unit) => [unit.repeat(32), { limit: 10 ** 15 }]));
    const { id } = (await holdfast.admin("POST", "/v1/admin/tenants", { name, allowances: units })).body;
    const { key } = (await holdfast.admin("POST", `/v1/admin/tenants/${id}/keys`, { name })).body;
    const job = await holdfast.call(key, "POST", "/v1/jobs", { user: name, name, labels: { part: name } });
    const page = await signedIn(`/tenants/${id}`);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ["/tenants", `/tenants/${id}`, `/tenants/${id}/keys`, `/tenants/${id}/jobs/${job.body.id}`]) {
        await page.goto(holdfast.url + path);
        await page.getByText(name).first().waitFor();
        await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
        expect([width, path, await page.evaluate(BEYOND)]).toEqual([width, path, []]);
      }
    }
    await page.goto(holdfast.url);
    const cell = page
      .getByRole("row", { name: /Unit units/ })
      .getByRole("cell")
      .last();
    await cell.waitFor();
    const box = (await cell.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(390);
  },
};
