import { fresh } from "../support/commands.js";
import { idPrefix, resolved, type Operation, type Schema } from "./routes.js";

/** What can name something of a tenant: an id by its prefix, or one of these. */
export const KINDS = [
  "ten",
  "key",
  "job",
  "rsv",
  "att",
  "dlv",
  "dny",
  "service",
  "webhook",
  "user",
  "unit",
  "cursor",
  "scope",
] as const;
export type Kind = (typeof KINDS)[number];

/** What the places of a valid request are filled with. */
export type Values = Readonly<Record<Exclude<Kind, "cursor" | "scope">, string>>;

/** A place of a request that can name something of a tenant. */
export interface Place {
  readonly in: "path" | "query" | "body";
  readonly name: string;
  readonly kind: Kind;
  /** Of a body that is one of several. */
  readonly variant?: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
}

export interface Choice {
  readonly place?: Place;
  /** What stands in that place. */
  readonly value?: string;
  readonly variant?: string | undefined;
}

/** Every place of the operation. Throws for one that the tests would not know how to fill. */
export function placesOf(operation: Operation): Place[] {
  const parameters = operation.parameters.flatMap(({ in: at, name, schema }) => {
    const kind = at === "header" ? undefined : kindOf(operation, name, schema);
    return kind === undefined ? [] : [{ in: at as "path" | "query", name, kind }];
  });
  const bodies = variantsOf(operation).flatMap((variant) => {
    const properties = Object.entries(schemaOfBody(operation, variant)?.properties ?? {});
    return properties.flatMap(([name, schema]) => {
      const kind = idKind(operation, schema) ?? (name === "user" ? name : undefined);
      return kind === undefined ? [] : [{ in: "body" as const, name, kind, ...(variant !== undefined && { variant }) }];
    });
  });
  return [...parameters, ...bodies];
}

/** undefined: it names nothing, being a number, a choice or why something is done. */
function kindOf(operation: Operation, name: string, schema: Schema): Kind | undefined {
  const kind = idKind(operation, schema) ?? KINDS.find((known) => known === name);
  if (kind !== undefined) return kind;
  if (schema.enum || schema.type === "integer" || name === "reason") return undefined;
  throw new Error(`${operation.id}: the security tests do not know how to fill ${name}`);
}

function idKind(operation: Operation, schema: Schema): Kind | undefined {
  const prefix = idPrefix(schema);
  if (prefix === undefined) return undefined;
  const kind = KINDS.find((known) => known === prefix);
  if (kind === undefined) throw new Error(`${operation.id}: the security tests know no ${prefix}_… ids`);
  return kind;
}

/** The kinds of operations that a batch can have; for other bodies one that has no name. */
export function variantsOf(operation: Operation): (string | undefined)[] {
  const alternatives = batchSchema(operation);
  return alternatives ? alternatives.map((schema) => String(schema.properties!["op"]!.enum![0])) : [undefined];
}

function batchSchema({ body }: Operation): Schema[] | undefined {
  return body && resolved(body).properties?.["operations"]?.items?.oneOf?.map(resolved);
}

function schemaOfBody(operation: Operation, variant: string | undefined): Schema | undefined {
  if (variant === undefined) return operation.body && resolved(operation.body);
  return batchSchema(operation)?.find(({ properties }) => properties!["op"]!.enum![0] === variant);
}

/** A valid request; with a choice, one in which another value stands in one place. */
export function requestOf(operation: Operation, values: Values, choice: Choice = {}): Request {
  const { place, value = "", variant = place?.variant ?? variantsOf(operation)[0] } = choice;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (place?.in === "path" && place.name === name) return encodeURIComponent(value);
    return encodeURIComponent(valueOfParameter(operation, name, values));
  });
  const query = place?.in === "query" ? `?${place.name}=${encodeURIComponent(value)}` : "";
  const schema = schemaOfBody(operation, variant);
  const filled = schema && bodyOf(schema, values);
  const given = place?.in === "body" ? { ...filled, [place.name]: value } : filled;
  const body = variant === undefined ? given : { operations: [given] };
  return { method: operation.method, path: path + query, body };
}

function valueOfParameter(operation: Operation, name: string, values: Values): string {
  const { schema } = operation.parameters.find((parameter) => parameter.in === "path" && parameter.name === name)!;
  return values[kindOf(operation, name, schema) as keyof Values];
}

/** What is required, and whatever names something. */
function bodyOf(schema: Schema, values: Values): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const wanted = Object.entries(properties).filter(
    ([name, each]) =>
      required.includes(name) ||
      // Of amounts and a plan one is needed, and with a parent a grant, which the schema does not say. A webhook that
      // is not enabled sends nothing while others are compared.
      ["user", "amounts", "grant", "idempotencyKey", "enabled"].includes(name) ||
      idPrefix(each) !== undefined,
  );
  return Object.fromEntries(wanted.map(([name, each]) => [name, valueOf(name, resolved(each), values)]));
}

/** Where nobody listens. */
export const NOWHERE = "http://127.0.0.1:9/";

/** Numbers that fit the tenants of these tests. */
const NUMBERS: Readonly<Record<string, number>> = { limit: 1_000, ttlMs: 60_000 };

function valueOf(name: string, schema: Schema, values: Values): unknown {
  const prefix = idPrefix(schema);
  if (prefix !== undefined) return values[prefix as keyof Values];
  const known = { user: values.user, url: NOWHERE }[name];
  if (known !== undefined) return known;
  if (name === "idempotencyKey") return fresh("K");
  if (schema.const !== undefined || schema.enum) return schema.const ?? schema.enum![0];
  if (schema.oneOf) return valueOf(name, resolved(schema.oneOf[0]!), values);
  if (schema.type === "array") return [valueOf(name, resolved(schema.items!), values)];
  if (typeof schema.additionalProperties === "object") {
    return { [values.unit]: valueOf(name, resolved(schema.additionalProperties), values) };
  }
  if (schema.properties) return bodyOf(schema, values);
  if (schema.type === "boolean") return false;
  return schema.type === "string" ? "a" : (NUMBERS[name] ?? Math.max(schema.minimum ?? 0, 1));
}
