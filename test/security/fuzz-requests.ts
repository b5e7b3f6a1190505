import type { FuzzRandom } from "./fuzz-random.js";
import { endsSomething, jsonOf, oddValue, ValidValues, type World } from "./fuzz-values.js";
import { OPERATIONS, operationAt, resolved, type Operation, type Parameter } from "./routes.js";

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, so that a name may come twice. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
}

interface Draft {
  readonly operation: Operation;
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Map<string, string | undefined>;
  more: string[];
  body: unknown;
  text?: string;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "NONSENSE"];
const TYPES = ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "", "json"];
const TEXTS = ["", "{", "[]", "null", '"text"', "1", '{"a":1,"a":2}', '{"__proto__":{"a":1}}', "\ufeff{}", "{}{}"];
const KEYS = ["", " ", "two words", "x".repeat(256), "é", "same"];
const HEADERS = [
  ["content-encoding", "gzip"],
  ["x-http-method-override", "DELETE"],
  ["x-forwarded-for", "127.0.0.1"],
  ["x-original-url", "/v1/admin/tenants"],
  ["accept", "text/html"],
  ["cookie", "key=a"],
  ["authorization", "Bearer second"],
  ["idempotency-key", "second"],
] as const;

/** Draws requests: one in three is valid, the others are changed in one to three ways. */
export class FuzzRequests {
  private readonly values: ValidValues;
  private readonly operations = OPERATIONS.flatMap((operation) =>
    Array.from({ length: weightOf(operation) }, () => operation),
  );

  constructor(
    private readonly random: FuzzRandom,
    private readonly world: World,
  ) {
    this.values = new ValidValues(random, world);
  }

  next(among: readonly Operation[] = this.operations): FuzzRequest {
    const draft = this.valid(this.random.pick(among));
    if (this.random.chance(67)) for (let n = 1 + this.random.below(3); n > 0; n -= 1) this.change(draft);
    const request = finished(draft);
    // By another method, or under another path, a request may reach what ends a tenant that the others work on.
    const reached = operationAt(request.method, request.path);
    const needed = reached && endsSomething(reached) && this.world.tenants.some(({ id }) => request.path.includes(id));
    return needed ? { ...request, method: "GET" } : request;
  }

  private valid(operation: Operation): Draft {
    const { method, parameters, opens, body } = operation;
    this.values.chooseOwner(operation);
    const of = ({ name, schema }: Parameter) => this.values.parameter(name, schema);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(of(parameters.find((parameter) => parameter.name === name)!)),
    );
    const optional = parameters.filter(
      ({ in: at, name }) => at === "query" && name !== "cursor" && this.random.chance(25),
    );
    const key = opens === "admin" ? this.world.adminKey : this.values.owner.key;
    const headers = new Map<string, string | undefined>([["authorization", `Bearer ${key}`]]);
    if (parameters.some(({ in: at }) => at === "header")) headers.set("idempotency-key", this.values.freshKey());
    const query = optional.map((parameter): [string, string] => [parameter.name, encodeURIComponent(of(parameter))]);
    const content = body && this.values.body(resolved(body));
    if (content) headers.set("content-type", "application/json");
    return { operation, method, path, query, headers, more: [], body: content };
  }

  private change(draft: Draft): void {
    const { random } = this;
    const ways = [
      () => this.changePath(draft),
      () => this.changeQuery(draft),
      () => this.changeHeaders(draft),
      () => (draft.method = random.pick(METHODS)),
    ];
    if (draft.body !== undefined && random.chance(70)) return this.changeBody(draft);
    random.pick(ways)();
  }

  private changePath(draft: Draft): void {
    const { random, world } = this;
    const parts = draft.path.split("/");
    const at = 1 + random.below(parts.length - 1);
    const { id, ids } = random.pick([...world.tenants, ...world.spare.slice(-5)]);
    const other = random.pick([id, ...ids.job.slice(-5), ...ids.rsv.slice(-5), "x"]);
    parts[at] = random.pick([other, other, encoded(oddValue(random)), "", "..", `${parts[at]}%20`, "%2e%2e"]);
    draft.path = parts.join("/") || "/x";
  }

  private changeQuery(draft: Draft): void {
    const { random } = this;
    const names = [...draft.operation.parameters.map(({ name }) => name), "limit", "cursor", "__proto__", "a[b]", ""];
    draft.query.push([random.pick(names), encoded(oddValue(random))]);
  }

  private changeHeaders({ headers, more }: Draft): void {
    const { random, world } = this;
    const keys = [world.adminKey, ...world.tenants.map(({ key }) => key)];
    const ways = [
      () =>
        headers.set("authorization", random.pick([undefined, "Bearer x", "", "Basic a", `Bearer ${world.adminKey}x`])),
      () => headers.set("authorization", `Bearer ${random.pick(keys)}`),
      () => headers.set("idempotency-key", random.pick([undefined, ...KEYS])),
      () => headers.set("content-type", random.pick([undefined, ...TYPES])),
      () => more.push(...random.pick(HEADERS)),
    ];
    random.pick(ways)();
  }

  private changeBody(draft: Draft): void {
    const { random } = this;
    if (random.chance(10)) draft.text = random.pick(TEXTS);
    if (random.chance(5)) draft.body = oddValue(random);
    const places = placesIn(draft.body);
    if (places.length === 0) return;
    const { holder, name } = random.pick(places);
    const ways = [
      () => (holder[name] = oddValue(random)),
      () => (holder[name] = oddValue(random)),
      () => (holder[name] = String(holder[name])),
      () => (holder[name] = [holder[name]]),
      () => Reflect.deleteProperty(holder, name),
      () => (holder[random.pick(["unknown", "id", "__proto__x", "tenantId", "state", LONG_NAME])] = oddValue(random)),
    ];
    random.pick(ways)();
  }
}

/** What moves amounts comes often, what is dear rarely. */
function weightOf({ id, opens }: Operation): number {
  if (id === "reconcile.run") return 1;
  return /reserve|charge|permits|settle|release|batch/.test(id) ? 60 : opens === "tenant" ? 30 : 15;
}

const LONG_NAME = "n".repeat(300);

interface PlaceIn {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function placesIn(value: unknown): PlaceIn[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesIn(holder[name])]);
}

/** As a part of a path or a query; half a surrogate pair has no such form. */
function encoded(value: unknown): string {
  const text = typeof value === "string" ? value.replace(/@bare@|@$/g, "") : JSON.stringify(value);
  return encodeURIComponent(Buffer.from(text.slice(0, 3_000)).toString());
}

function finished({ method, path, query, headers, more, body, text }: Draft): FuzzRequest {
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join("&");
  const given = [...headers].flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return {
    method,
    path: pairs === "" ? path : `${path}?${pairs}`,
    headers: [...given, ...more],
    body: text ?? (body === undefined ? undefined : jsonOf(body)),
  };
}
