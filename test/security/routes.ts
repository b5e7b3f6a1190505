import { readFileSync } from "node:fs";

/** Every operation of openapi.json, so that a route that comes tomorrow is tested by itself. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

/** Whose key opens it. */
export type Opens = "tenant" | "admin" | "anybody";

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{names}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly opens: Opens;
  /** The statuses that it is documented to answer with. */
  readonly statuses: readonly number[];
  /** Whether its answer has no end. */
  readonly streams: boolean;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as Document;

const ALL: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => operationOf(method.toUpperCase(), path, described)),
);

/** Those that answer and are done. */
export const OPERATIONS = ALL.filter(({ streams }) => !streams);
/** Those whose answer goes on, which only their refusals end: test/e2e/events.spec.ts listens to them. */
export const STREAMS = ALL.filter(({ streams }) => streams);

function operationOf(method: string, path: string, described: Described): Operation {
  const { operationId: id, parameters = [], requestBody, responses } = described;
  const body = requestBody?.content["application/json"]?.schema;
  const statuses = Object.keys(responses).map(Number);
  const streams = Object.hasOwn(responses["200"]?.content ?? {}, "text/event-stream");
  return { id, method, path, parameters, body, opens: opensOf(described), statuses, streams };
}

function opensOf({ operationId, security }: Described): Opens {
  if (security === undefined) return "anybody";
  const kinds = security.flatMap((each) => Object.keys(each)).join();
  if (kinds === "tenantKey") return "tenant";
  if (kinds === "adminKey") return "admin";
  throw new Error(`${operationId} is opened by ${kinds}, which the security tests do not know`);
}

/** The schema itself, where another one is only named. */
export function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[schema.$ref.slice("#/components/schemas/".length)];
  if (!found) throw new Error(`openapi.json has no ${schema.$ref}`);
  return resolved(found);
}

/** `job` for `^job_…$`: what an id is of. */
export function idPrefix({ pattern = "" }: Schema): string | undefined {
  return /^\^([a-z]{3})_\[/.exec(pattern)?.[1];
}

/** The operation that a request reaches. */
export function operationAt(method: string, url: string): Operation | undefined {
  const path = url.split(/[?#]/)[0]!;
  return PATTERNS.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;
}

const PATTERNS = OPERATIONS.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]*")}$`),
}));
