import type { Tenant } from "../api/types.js";
import { Tag } from "../frame/tag.js";

export function StateTag({ state }: Pick<Tenant, "state">) {
  return <Tag tone={state === "active" ? "good" : state === "suspended" ? "warned" : "plain"}>{state}</Tag>;
}

export function EnforcementTag({ enforcement }: Pick<Tenant, "enforcement">) {
  return <Tag tone={enforcement === "observe" ? "warned" : "plain"}>{enforcement}</Tag>;
}
