import { PageQuery } from "../lists/page.js";
import { ChoiceField, PatternField } from "../validation/fields.js";

const SCOPE = /^(tenant|user:[^]+|job:[^]+)$/u;

export class BalancesQuery extends PageQuery {
  @PatternField(SCOPE, "must be tenant, user:<name> or job:<id>", {
    optional: true,
    schema: { type: "string", pattern: SCOPE.source.replace("[^]", "."), default: "tenant" },
    description: "Whose balances: `tenant`, `user:<name>` or `job:<id>`.",
  })
  scope?: string;

  @ChoiceField(["current", "all"], {
    optional: true,
    description:
      "`current` (the default) answers what binds now, on one page; `all` also what earlier windows came to.",
  })
  windows?: "current" | "all";
}
