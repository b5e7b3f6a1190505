import type { Tenant } from "../api/types.js";
import { parseWhole } from "../data/format.js";

/** What is typed of a tenant. */
export interface TenantTexts {
  readonly name: string;
  readonly enforcement: string;
  /** Unit → limit; empty for none. */
  readonly jobAllowance: Readonly<Record<string, string>>;
  readonly userAllowance: Readonly<Record<string, string>>;
}

type Limits = Readonly<Record<string, number>>;
type Patched = Readonly<Record<string, number | null>>;

/** A merge patch. */
export interface TenantPatch {
  readonly name?: string;
  readonly enforcement?: string;
  readonly jobAllowance?: Patched;
  readonly userAllowance?: Patched;
}

type Given = Pick<Tenant, "name" | "enforcement" | "jobAllowance" | "userAllowance">;

export function textsOf({ name, enforcement, jobAllowance, userAllowance }: Given): TenantTexts {
  const texts = (limits: Limits) => Object.fromEntries(Object.entries(limits).map(([unit, n]) => [unit, String(n)]));
  return { name, enforcement, jobAllowance: texts(jobAllowance), userAllowance: texts(userAllowance) };
}

/** `<field> <unit>` of each limit that is none. */
export function limitsWrong({ jobAllowance, userAllowance }: TenantTexts): ReadonlySet<string> {
  const wrong = (field: string, texts: Readonly<Record<string, string>>) =>
    Object.entries(texts)
      .filter(([, text]) => text.trim() !== "" && (parseWhole(text) ?? -1) < 0)
      .map(([unit]) => `${field} ${unit}`);
  return new Set([...wrong("jobAllowance", jobAllowance), ...wrong("userAllowance", userAllowance)]);
}

/** What was changed, and nothing else. */
export function patchOf(tenant: Given, texts: TenantTexts): TenantPatch {
  const jobAllowance = changed(tenant.jobAllowance, texts.jobAllowance);
  const userAllowance = changed(tenant.userAllowance, texts.userAllowance);
  return {
    ...(texts.name !== tenant.name && { name: texts.name.trim() }),
    ...(texts.enforcement !== tenant.enforcement && { enforcement: texts.enforcement }),
    ...(Object.keys(jobAllowance).length > 0 && { jobAllowance }),
    ...(Object.keys(userAllowance).length > 0 && { userAllowance }),
  };
}

/** null takes a limit away. */
function changed(before: Limits, texts: Readonly<Record<string, string>>): Patched {
  const now = Object.entries(texts).map(
    ([unit, text]) => [unit, text.trim() === "" ? null : parseWhole(text)] as const,
  );
  return Object.fromEntries(now.filter(([unit, limit]) => limit !== (before[unit] ?? null)));
}
