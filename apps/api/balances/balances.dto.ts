import { PageQuery } from "../lists/page.js";
import { ChoiceField, PatternField } from "../validation/fields.js";

const SCOPE = /^(tenant|user:[^]+|job:[^]+|service:[^]+)$/u;

export class BalancesQuery extends PageQuery {
  @PatternField(SCOPE, "must be tenant, user:<name>, job:<id> or service:<name>", {
    optional: true,
    schema: { type: "string", pattern: SCOPE.source.replaceAll("[^]", "."), default: "tenant" },
    description:
      "Whose balances: `tenant`, `user:<name>`, `job:<id>` or, of what the tenant may take at a service, `service:<name>`.",
  })
  scope?: string;

  @ChoiceField(["current", "all"], {
    optional: true,
    description:
      "`current` (the default) answers what binds now, on one page; `all` also what earlier windows came to.",
  })
  windows?: "current" | "all";
}
