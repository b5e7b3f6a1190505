import type { WouldDeny } from "../api/types.js";
import { amount, limitText } from "../data/format.js";

/** Which allowance refused, and its figures at that moment. */
export function Refusal({ denial }: { readonly denial: WouldDeny }) {
  const { scope, unit, code, limit, spent, reserved, available, requested, maxChildren } = denial;
  const whose = scope?.tenantId === undefined ? `${scope?.kind} allowance` : `tenant's share of service ${scope.id}`;
  return (
    <p>
      Denied by the {whose} of {unit}: {amount(requested)} asked and {amount(available)} of {limitText(limit)}{" "}
      available, with {amount(spent)} spent and {amount(reserved)} reserved.
      {code === "exceeds_limit" && " It can never fit."}
      {maxChildren !== undefined && ` At most ${amount(maxChildren)} children would fit.`}
    </p>
  );
}
