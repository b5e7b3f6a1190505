import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Browser, Page } from "playwright-core";
import { LAB_DEFAULTS, runModel } from "#libs/plan";
import { describedBy, openBrowser, seriousFindings, watchedPages } from "../support/browser.js";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { eventually } from "../support/record.js";

let holdfast: Holdfast;
let browser: Browser;

beforeAll(async () => {
  [holdfast, browser] = await Promise.all([startHoldfast(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await holdfast?.stop();
});

const open = watchedPages(() => ({ browser, url: holdfast.url }));
const lab = (address = "", options = {}) => open(`/lab${address}`, options);
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const decision = (page: Page) => page.getByTestId("decision").innerText();

async function totals(page: Page): Promise<Record<string, number>> {
  const names = ["planned", "admitted", "denied", "consumed", "overAllowance"];
  const figures = names.map(async (name) => {
    const text = await page.getByTestId(`total-${name}`).locator("b").innerText();
    return [name, Number(text.replaceAll(",", ""))];
  });
  return Object.fromEntries(await Promise.all(figures));
}

/** What the model says, in the figures that the page shows. */
function predicted(change: Partial<typeof LAB_DEFAULTS> = {}): Record<string, number> {
  const { planned, admitted, denied, consumed, overAllowance } = runModel({ ...LAB_DEFAULTS, ...change }).totals;
  return { planned, admitted, denied, consumed, overAllowance };
}

/** A browser shows a change when it gets to it. */
async function expectTotals(page: Page, change: Partial<typeof LAB_DEFAULTS> = {}): Promise<void> {
  await eventually(async () => isDeepStrictEqual(await totals(page), predicted(change))).catch(() => undefined);
  expect(await totals(page)).toEqual(predicted(change));
}

async function expectDecision(page: Page, words: string): Promise<void> {
  await eventually(async () => (await decision(page)).includes(words)).catch(() => undefined);
  expect(await decision(page)).toContain(words);
}

describe("the lab", () => {
  it("shows the baseline: 4 admitted, 2 denied, 480 consumed; observing, 720 and 220 over the allowance", async () => {
    const page = await lab();
    await expectTotals(page);
    expect(await totals(page)).toMatchObject({ admitted: 4, denied: 2, consumed: 480 });
    expect(await page.getByTestId("arithmetic").innerText()).toMatch(
      /^3\s+children\s+×\s+2\s+attempts\s+×\s+20[^=]+=\s+120/,
    );
    await page.getByText("Observe", { exact: true }).click();
    await expectTotals(page, { mode: "observe" });
    expect(await totals(page)).toMatchObject({ admitted: 6, denied: 0, consumed: 720, overAllowance: 220 });
    await button(page, "Show all").click();
    expect(await decision(page)).toMatch(/^Job 6 runs, but would be denied by .* is 220 over\.$/);
  });

  it("walks through the decisions: each says which allowance decided and what was left, with advice", async () => {
    const page = await lab("?tenantAllowance=540");
    await button(page, "Start trace").click();
    await expectDecision(page, "Job 1 is admitted: it fits both allowances. The tenant has 420 left.");
    for (let step = 2; step <= 5; step += 1) await button(page, "Next step").click();
    await expectDecision(page, "Job 5 is denied by the tenant allowance: 60 of 540 left, 120 asked.");
    expect(await page.getByTestId("steps").getByRole("row").count()).toBe(6);
    await expectTotals(page, { tenantAllowance: 540 });
    await page
      .getByRole("listitem")
      .filter({ hasText: "1 attempt a child instead of 2 would fit." })
      .getByText("Try it")
      .click();
    await expectTotals(page, { tenantAllowance: 540, attempts: 1 });
    await button(page, "Reset").click();
    await expectDecision(page, "not started");
  });

  it("keeps its state in the address, and goes back with the browser", async () => {
    const page = await lab();
    await field(page, "Incoming jobs").fill("9");
    await button(page, "Show all").click();
    await page.waitForURL(/jobs=9.*step=9/);
    const shared = await lab(new URL(page.url()).search);
    await expectTotals(shared, { jobs: 9 });
    await expectDecision(shared, "Job 9 is denied");
    await page.getByRole("link", { name: "Lab" }).click();
    await page.waitForURL(/\/lab$/);
    await expectTotals(page);
    await page.goBack();
    await page.getByText("9 of 9").waitFor();
    await expectTotals(page, { jobs: 9 });
  });

  it("refuses what is out of range beside its field, keeps what was typed, and runs nothing of it", async () => {
    const page = await lab();
    const typed = [
      ["Incoming jobs", "0", "Must be a whole number from 1 to 100"],
      ["Cost per attempt", "1e3", "Must be a whole number from 1 to 10000"],
      ["Tenant allowance", "<b>5</b>", "Must be a whole number from 0 to 10000000"],
    ] as const;
    for (const [name, text, message] of typed) {
      await field(page, name).fill(text);
      const wrong = field(page, name);
      expect(await wrong.getAttribute("aria-invalid")).toBe("true");
      expect(await describedBy(wrong)).toContain(message);
    }
    await expectTotals(page);
    await page.getByText("An input is out of its range").waitFor();
    expect(await button(page, "Export JSON").isDisabled()).toBe(true);
    await page.waitForURL(/cost=1e3/);
    await page.reload();
    expect(await Promise.all(typed.map(([name]) => field(page, name).inputValue()))).toEqual(
      typed.map(([, text]) => text),
    );
  });

  it("saves a file, loads the same one, and refuses another with the reason", async () => {
    const page = await lab("?mode=observe&jobs=8");
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export JSON").click()]);
    const saved = await readFile(await download.path(), "utf8");
    expect(JSON.parse(saved)).toMatchObject({ inputs: { jobs: 8 }, outcomes: predicted({ mode: "observe", jobs: 8 }) });
    const other = await lab();
    const load = (name: string, text: string) =>
      other.setInputFiles("input[type=file]", { name, mimeType: "application/json", buffer: Buffer.from(text) });
    await load("saved.json", saved);
    await other.getByText("saved.json was loaded.").waitFor();
    await expectTotals(other, { mode: "observe", jobs: 8 });
    for (const [text, reason] of [
      ["{", "It is not JSON."],
      ["{}", 'It is not a file of the lab: its "format" is not "holdfast-lab".'],
      [saved.replace('"jobs": 8', '"jobs": 800'), "jobs must be a whole number from 1 to 100."],
      [saved.replace('"jobs": 8', '"jobs": 7'), 'Its "outcomes" does not follow from its inputs: it was changed.'],
    ] as const) {
      await load("bad.json", text);
      await other
        .getByRole("alert")
        .filter({ hasText: `bad.json: ${reason}` })
        .waitFor();
      await expectTotals(other, { mode: "observe", jobs: 8 });
    }
  });

  it("runs the same inputs through the service, shows both results, and leaves no tenant behind", async () => {
    const page = await lab();
    const key = page.getByLabel("Operator's key");
    await key.fill("nobody's key");
    await button(page, "Run it live").click();
    await page.getByRole("alert").filter({ hasText: "401 unauthenticated" }).waitFor();
    expect(await key.inputValue()).toBe("nobody's key");
    await key.fill(holdfast.adminKey);
    await button(page, "Run it live").click();
    await page.getByText("Every decision and every figure of the service is what the model says.").waitFor();
    const rows = await page.getByTestId("compared").locator("tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t"))).toEqual([
      ["Planned", "720 units", "720 units"],
      ["Admitted", "4 jobs", "4 jobs"],
      ["Denied", "2 jobs", "2 jobs"],
      ["Consumed", "480 units", "480 units"],
      ["Over the allowance", "0 units", "0 units"],
    ]);
    await page.getByText("Observe", { exact: true }).click();
    await button(page, "Run it live").click();
    await page.getByRole("cell", { name: "220 units" }).first().waitFor();
    await page.getByText("Every decision and every figure of the service is what the model says.").waitFor();
    const { body } = await holdfast.admin("GET", "/v1/admin/tenants?state=active");
    expect(body["data"]).toEqual([]);
  });

  it("is used with the keyboard alone", async () => {
    const page = await lab();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // Keys that come before the page is there go nowhere.
    await button(page, "Back to the baseline").waitFor();
    await press("Tab", "Enter");
    await page.locator("#content:focus").waitFor();
    await press("Tab");
    await page.locator("button:focus", { hasText: "Back to the baseline" }).waitFor();
    await press("Tab", "ArrowUp", "ArrowUp", "Tab");
    await expectTotals(page, { jobs: 8 });
    await page.keyboard.type("2");
    await press("Tab", "Tab", "Tab", "Tab", "Tab", "ArrowRight");
    await expectTotals(page, { jobs: 8, children: 2, mode: "observe" });
    await press("Tab", "Enter");
    await expectDecision(page, "Job 1 is admitted");
    await page.getByRole("slider").focus();
    await press("End");
    await expectDecision(page, "Job 8 runs, but would be denied");
    await press("Home");
    await expectDecision(page, "not started");
  });

  it("can be used within two seconds of a first visit", async () => {
    const visited = async (): Promise<number> => {
      const begun = performance.now();
      const page = await lab();
      await button(page, "Start trace").click();
      await page.getByText("Job 1 is admitted").waitFor();
      return performance.now() - begun;
    };
    // Other tests share the machine: the better of two visits.
    expect(Math.min(await visited(), await visited())).toBeLessThan(2_000);
  });

  it.each(["light", "dark"] as const)("has no serious finding of axe in %s colours", async (colorScheme) => {
    const page = await lab("?mode=observe&children=4&jobAllowance=150&step=3", { colorScheme });
    await page.getByTestId("advice").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByText("Enforce", { exact: true }).click();
    await field(page, "Incoming jobs").fill("0");
    await page.getByText("An input is out of its range").waitFor();
    expect(await seriousFindings(page, ["color-contrast", "aria-valid-attr-value"])).toEqual([]);
  });
});
