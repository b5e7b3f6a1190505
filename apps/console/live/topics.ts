/** What an answer of the API depends on, by its path: the first that fits. */
const CONCERNS: readonly (readonly [path: RegExp, topics: readonly string[]])[] = [
  [/\/history$/, ["history"]],
  [/^\/metrics$/, ["history"]],
  [/^\/health\/ready$/, ["reconcile"]],
  [/^\/v1\/admin\/(reconcile\/runs|audit)$/, ["reconcile"]],
  [/\/webhooks(\/|$)/, ["webhooks"]],
  [/\/ledger$/, ["ledger"]],
  [/\/balances$/, ["ledger", "tenants"]],
  [/\/denials(\/|$)/, ["denials"]],
  [/\/(jobs|reservations)(\/|$)/, ["jobs", "ledger"]],
  // How a tenant stands at a service is told by nobody; what is set for it there is.
  [/^\/v1\/admin\/(tenants\/[^/]+\/services|services\/[^/]+\/tenants)$/, ["services", "tenants"]],
  [/^\/v1\/admin\/services(\/|$)/, ["services", "ledger"]],
  [/^\/v1\/admin\/tenants\/[^/]+\/acts$/, ["tenants", "jobs"]],
  [/^\/v1\/admin\/tenants\/[^/]+\/users(\/|$)/, ["tenants", "ledger"]],
  [/^\/v1\/admin\/tenants(\/[^/]+(\/keys)?)?$/, ["tenants"]],
];

/** The topics whose change makes an answer old; none: nobody tells when it does, so it is asked for again and again. */
export function topicsOf(path: string): readonly string[] {
  const [bare = ""] = path.split("?", 1);
  return CONCERNS.find(([pattern]) => pattern.test(bare))?.[1] ?? [];
}
