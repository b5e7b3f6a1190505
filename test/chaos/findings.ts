/**
 * - `lost`: acknowledged, and not in the record as it was acknowledged.
 * - `doubled`: one key or one reservation with two effects, or an effect that no key accounts for.
 * - `overspent`: admitted above a limit that was in force at that moment.
 * - `other`: whatever else must never be, such as figures that do not add up or a refusal that had an effect.
 */
export const FINDING_KINDS = ["lost", "doubled", "overspent", "other"] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
}

export const finding = (kind: FindingKind, what: string, ...details: unknown[]): Finding => ({
  kind,
  what: [what, ...details.map((detail) => (typeof detail === "string" ? detail : JSON.stringify(detail)))].join(" "),
});
