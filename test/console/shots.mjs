// Takes the pictures of docs/images: node test/console/shots.mjs <url> <the operator's key> of a Holdfast that npm run
// demo has filled. Each page in both colours, wide and narrow; with names behind the key, those pages alone.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { provideBrowser } from "../../scripts/browser.mjs";
import { fail, root, say } from "../../scripts/common.mjs";

const [url, adminKey, ...names] = process.argv.slice(2);
if (!adminKey) fail("node test/console/shots.mjs <url> <the operator's key>");
const images = join(root, "docs/images");
const widths = [1440, 390];
const schemes = ["light", "dark"];

async function ask(key, method, path, body) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) fail(`${method} ${path} answered ${response.status}`);
  return response.json();
}

async function pagesOf() {
  const { data: tenants } = await ask(adminKey, "GET", "/v1/admin/tenants?limit=500");
  const { id } = tenants.find(({ name }) => name === "Acme Research") ?? fail("run npm run demo first");
  const { key } = await ask(adminKey, "POST", `/v1/admin/tenants/${id}/keys`, { name: "pictures" });
  const { data: jobs } = await ask(key, "GET", "/v1/jobs?limit=500");
  const job = jobs.find(({ name }) => name === "Enrich 4 accounts").id;
  const tree = jobs.find(({ name }) => name === "Market study").id;
  const { data: denials } = await ask(key, "GET", "/v1/denials");
  const denial = denials.at(-1)?.id ?? fail("no denial is in the list yet");
  const admin = { key: adminKey, kind: "admin" };
  const tenant = { key, kind: "tenant" };
  const charted = (page) => page.locator(".recharts-legend-wrapper").first().waitFor();
  const editing = (page) => page.getByRole("button", { name: "Edit …", exact: true }).click();
  const unfold = (page) => page.getByRole("button", { name: "Show its attempts" }).click();
  return [
    {
      name: "lab",
      path: "/lab?jobs=6&children=3&attempts=2&cost=20&jobAllowance=150&tenantAllowance=500&mode=enforce&step=5",
    },
    {
      name: "lab-observe",
      path: "/lab?jobs=6&children=3&attempts=2&cost=20&jobAllowance=150&tenantAllowance=500&mode=observe&step=6",
    },
    { name: "sign-in", path: "/" },
    { name: "overview", path: "/", as: admin, then: charted },
    { name: "tenants", path: "/tenants", as: admin, list: true },
    { name: "tenant", path: `/tenants/${id}`, as: admin, until: "each month" },
    { name: "ledger", path: `/tenants/${id}/ledger`, as: admin, list: true },
    { name: "users", path: `/tenants/${id}/users?user=ada`, as: admin, list: true },
    { name: "tenant-job", path: `/tenants/${id}/jobs/${job}`, as: admin, until: "Show its attempts", then: unfold },
    { name: "denials", path: `/tenants/${id}/denials`, as: admin, list: true },
    { name: "denial", path: `/tenants/${id}/denials/${denial}`, as: admin, until: "it decided" },
    { name: "services", path: "/services", as: admin, until: "breaker open" },
    { name: "service", path: "/services/model-large", as: admin, then: charted },
    {
      name: "service-settings",
      path: "/services/model-large",
      as: admin,
      until: "Queue by tenant",
      then: editing,
      form: true,
    },
    { name: "reconciler", path: "/reconciler", as: admin, list: true },
    { name: "webhooks", path: `/tenants/${id}/webhooks`, as: admin, until: "Nobody is told yet" },
    { name: "own-overview", path: "/", as: tenant, until: "available" },
    { name: "jobs", path: "/jobs", as: tenant, list: true },
    { name: "job", path: `/jobs/${job}`, as: tenant, until: "Show its attempts", then: unfold },
    { name: "job-tree", path: `/jobs/${tree}`, as: tenant, until: "Write the report" },
  ];
}

async function shoot(browser, { name, path, as, until, then, list = false, form = false }, colorScheme, width) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const store = (session) => sessionStorage.setItem("holdfast.session", JSON.stringify(session));
  if (as) await page.addInitScript(store, as);
  await page.goto(url + path);
  if (list) await page.getByRole("row").nth(1).waitFor();
  if (until) await page.getByText(until).first().waitFor();
  await then?.(page);
  // A page of somebody who has signed in holds its stream open, so the network is never idle.
  if (as) await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
  await page.waitForFunction(() => !/Loading …|come in a moment/.test(document.body.innerText));
  // Of a list, only what is near the window is in the page; a form lies over the window alone.
  await page.screenshot({
    path: join(images, `console-${name}-${colorScheme}-${width}.png`),
    fullPage: !list && !form,
  });
  await page.close();
}

mkdirSync(images, { recursive: true });
const browser = await chromium.launch({ executablePath: provideBrowser() });
for (const page of (await pagesOf()).filter(({ name }) => names.length === 0 || names.includes(name))) {
  for (const scheme of schemes) for (const width of widths) await shoot(browser, page, scheme, width);
  say(page.name);
}
await browser.close();
