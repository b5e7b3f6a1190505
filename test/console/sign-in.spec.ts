import type { Browser, Page } from "playwright-core";
import { openBrowser, watchedPages } from "../support/browser.js";
import { startHoldfast, type Holdfast } from "../support/http.js";

let holdfast: Holdfast;
let browser: Browser;

beforeAll(async () => {
  [holdfast, browser] = await Promise.all([startHoldfast(), openBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await holdfast?.stop();
});

const open = watchedPages(() => ({ browser, url: holdfast.url }));
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const key = (page: Page) => page.getByLabel("Key", { exact: true });

describe("signing in", () => {
  it.each([
    ["that nobody knows", "hfa_nobody"],
    ["that no header can carry", "ключ"],
  ])("says what to do about a key %s, and keeps what was typed", async (_, typed) => {
    const page = await open("/services");
    await key(page).fill(typed);
    await button(page, "Sign in").click();
    await page.getByRole("alert").filter({ hasText: "401 unauthenticated" }).waitFor();
    expect(await key(page).inputValue()).toBe(typed);
    await key(page).fill(holdfast.adminKey);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Services" }).waitFor();
  });

  it("takes a key for this tab alone", async () => {
    const page = await open("/services");
    await key(page).fill(holdfast.adminKey);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Services" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Services" }).waitFor();
    expect(JSON.stringify(await page.context().storageState())).not.toContain(holdfast.adminKey);
    const other = await page.context().newPage();
    await other.goto(`${holdfast.url}/services`);
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await button(page, "Sign out").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("gives a new form to whoever signs out while the console is on its way", async () => {
    const page = await open("/services");
    let arrive!: () => void;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route("**/assets/console-*.js", async (route) => (await arrived, route.continue()));
    await key(page).fill(holdfast.adminKey);
    await button(page, "Sign in").click();
    await page.getByText("Loading …").waitFor();
    await button(page, "Sign out").click();
    expect(await key(page).inputValue()).toBe("");
    arrive();
    await key(page).fill(holdfast.adminKey);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Services" }).waitFor();
  });
});
