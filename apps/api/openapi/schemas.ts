import { MAX_AMOUNT } from "#libs/ledger";

/** Schemas of the values that many bodies and answers share, as plain OpenAPI 3.1. */

export const AMOUNT = { type: "integer", minimum: 0, maximum: MAX_AMOUNT };

export const LIMIT = {
  oneOf: [AMOUNT, { type: "string", const: "unlimited" }],
  description: 'An integer, or the word "unlimited". 0 means that nothing may be spent.',
};

/** Unit → value, as an answer shows it. */
export function unitMapSchema(value: object) {
  return { type: "object", additionalProperties: value, propertyNames: { pattern: "^[a-z][a-z0-9_]{0,31}$" } };
}

export const AMOUNTS = { ...unitMapSchema(AMOUNT), example: { tokens: 400 } };

export const LABELS = {
  type: "object",
  additionalProperties: { type: "string", maxLength: 500 },
  propertyNames: { minLength: 1, maxLength: 100 },
  maxProperties: 32,
  example: { team: "search" },
};

/** RFC 3339 UTC with milliseconds. */
export const INSTANT = { type: "string", format: "date-time", example: "2026-01-31T09:30:00.000Z" };

export const WINDOW = {
  type: "string",
  description: "`none`, or `<period>@<start>`: the period window that this counts in.",
  example: "day@2026-01-31T00:00:00.000Z",
};

export const ULID_PATTERN = "[0-9A-HJKMNP-TV-Z]{26}";

export function idSchema(prefix: string) {
  return { type: "string", pattern: `^${prefix}_${ULID_PATTERN}$`, example: `${prefix}_01KE3A2Z8M4N5P6Q7R8S9T0V1W` };
}

/** The id of a permit, what it grants, and a signature. */
export const PERMIT_SCHEMA = {
  type: "string",
  pattern: `^att_${ULID_PATTERN}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{22}$`,
  maxLength: 2_000,
};

export const SCOPE = {
  type: "object",
  properties: {
    kind: { type: "string", enum: ["service", "tenant", "user", "job"] },
    id: { type: "string" },
    tenantId: { ...idSchema("ten"), description: "Of a service: the tenant whose share of it this is." },
  },
  required: ["kind", "id"],
};
