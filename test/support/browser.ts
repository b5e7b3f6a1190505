import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
import { chromiumPath } from "./services.js";

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath() });
}

interface Visit {
  readonly page: Page;
  /** What the browser complained of, refusals of the page's policy among it. */
  readonly complaints: readonly string[];
  /** The origins that were asked for anything. */
  readonly origins: ReadonlySet<string>;
}

/** A page in a context of its own, with nothing stored. */
async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A refused call is answered in the page; the browser logs it all the same.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, origins };
}

/** What axe holds for serious or critical, as `rule: selector`; of all rules unless some are named. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules ? axe.withRules([...rules]) : axe).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** What a screen reader says besides the name of a field. */
export async function describedBy(field: Locator): Promise<string> {
  const ids = ((await field.getAttribute("aria-describedby")) ?? "").split(" ").filter(Boolean);
  const texts = ids.map((id) => field.page().locator(`[id="${id}"]`).innerText());
  return (await Promise.all(texts)).join(" ");
}

/**
 * Pages of one Holdfast, for the tests of a file. After each test it is looked whether a page complained, or asked anybody
 * but the service that served it.
 */
export function watchedPages(of: () => { readonly browser: Browser; readonly url: string }) {
  let visits: Visit[] = [];
  afterEach(() => {
    const seen = visits;
    visits = [];
    expect(seen.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(seen.flatMap(({ origins }) => [...origins]).filter((origin) => origin !== of().url)).toEqual([]);
  });
  return async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const { browser, url } = of();
    const opened = await visit(browser, url + path, options);
    visits.push(opened);
    return opened.page;
  };
}
