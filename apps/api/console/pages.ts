/** The first segments of the console's own paths. The console shows the page; the API only has to hand out its start. */
export const CONSOLE_PAGES = [
  "lab",
  "tenants",
  "jobs",
  "denials",
  "ledger",
  "services",
  "reconciler",
  "webhooks",
] as const;

const CONSOLE = new RegExp(`^/(?:$|[?]|favicon\\.svg|assets/|(?:${CONSOLE_PAGES.join("|")})(?=$|[/?]))`);

/** Whether a URL, with its query, belongs to the console. */
export function isOfConsole(url: string): boolean {
  return CONSOLE.test(url);
}
