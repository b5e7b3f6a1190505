import type { FuzzRandom } from "./fuzz-random.js";
import { NOWHERE } from "./requests.js";
import { idPrefix, resolved, type Operation, type Schema } from "./routes.js";

/** What a tenant has by now, the newest last. */
export class Owner {
  readonly ids: Readonly<Record<"key" | "job" | "rsv" | "att" | "dlv" | "dny", string[]>> = {
    key: [],
    job: [],
    rsv: [],
    att: [],
    dlv: [],
    dny: [],
  };

  constructor(
    readonly id: string,
    /** undefined: only the operator works on it. */
    readonly key?: string,
  ) {}
}

export interface World {
  readonly adminKey: string;
  /** What belongs to no tenant. */
  readonly operator: Owner;
  /** Those that requests work on from the first to the last. */
  readonly tenants: readonly Owner[];
  /** Those that a request made, and that another one may end. */
  readonly spare: Owner[];
}

/** Stands for itself in JSON text, outside of quotes: numbers that JavaScript cannot hold. */
const bare = (text: string) => `@bare@${text}@`;

export function jsonOf(value: unknown): string {
  return JSON.stringify(value).replace(/"@bare@([^@"]*)@"/g, "$1");
}

const LONG = "long".repeat(1_000);

/** What stands where something else should. */
const ODD: readonly unknown[] = [
  0,
  -1,
  1.5,
  1e21,
  ...["1e400", "-1e400", "-0.0", "9007199254740991", "9007199254740992", "9007199254740993", "1E2"].map(bare),
  ...[null, true, false, [], {}, [[[[]]]], { $ne: null }, [null], { length: 1 }],
  ...["", " ", "NaN", "Infinity", "-1", "1e3", "unlimited", "null", "true", LONG],
  ...["\0", "\u202e", "\ud800", "\u{1f4a5}", "\u0661", "é".normalize("NFD"), "a\nb", "%00", "{{7*7}}"],
  ...[
    "__proto__",
    "constructor",
    "../../admin",
    "' OR 1=1 --",
    "$1",
    "job:",
    "user:",
    "tenant",
    "2026-01-01T00:00:00Z",
  ],
  ...[`job_${"0".repeat(26)}`, `ten_${"Z".repeat(26)}`, `rsv_${"0".repeat(26)}`, "job_", "rsv_x"],
];

/** Each time another one, since what is drawn is changed further. */
export function oddValue(random: FuzzRandom): unknown {
  return structuredClone(random.pick(ODD));
}

/** They are sent to tenants that nothing else needs; of keys only those are named that a request has made. */
const ENDS = ["tenants.remove", "tenants.suspend", "tenants.resume", "tenants.change"];

export function endsSomething({ id }: Operation): boolean {
  return ENDS.includes(id);
}

/** Where the operator has what a tenant has as well. */
export const OPERATORS_OWN = "/v1/admin/webhooks";

const UNITS = ["tokens", "calls"];
const USERS = ["ada", "bob", "päule ü"];
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  timeZone: ["UTC", "Europe/Berlin", "Asia/Kolkata"],
  scope: ["tenant", "user:ada"],
  service: ["model", "tool.v1"],
  webhook: ["hook"],
  url: [NOWHERE, `${NOWHERE}?a=b`],
};

/** Values that fit their schema, drawn at random. */
export class ValidValues {
  private made = 0;

  constructor(
    private readonly random: FuzzRandom,
    private readonly world: World,
  ) {}

  /** Whose request comes next: mostly what is named is the same tenant's. */
  owner = new Owner(`ten_${"0".repeat(26)}`);

  chooseOwner(operation: Operation): void {
    const { operator, tenants, spare } = this.world;
    if (operation.path.startsWith(OPERATORS_OWN)) this.owner = operator;
    else this.owner = this.random.pick(endsSomething(operation) && spare.length > 0 ? spare : tenants);
  }

  parameter(name: string, schema: Schema): string {
    if (name === "scope" && this.random.chance(50)) return `job:${this.id("job")}`;
    return String(this.of(name, schema));
  }

  freshKey(): string {
    return `fuzz-${++this.made}`;
  }

  body(schema: Schema): Record<string, unknown> {
    const { properties = {}, required = [] } = schema;
    const entries = Object.entries(properties).filter(([name]) => {
      if (required.includes(name)) return true;
      // Of a reservation it is refused, of a permit it is not.
      if (name === "service" && "waitMs" in properties) return this.random.chance(30);
      if (["plan", "service", "parentJobId", "grant"].includes(name)) return false;
      return name === "amounts" || name === "idempotencyKey" || this.random.chance(30);
    });
    /** Some fields in the place of one that does not come together with them. */
    const instead = (left: string, ...names: string[]) =>
      entries.filter(([name]) => name !== left).concat(names.map((name) => [name, properties[name]!]));
    const planned = "plan" in properties && this.random.chance(40);
    const child = "grant" in properties && this.random.chance(30);
    const chosen = planned
      ? instead("amounts", "plan")
      : child
        ? instead("allowance", "parentJobId", "grant")
        : entries;
    return Object.fromEntries(chosen.map(([name, each]) => [name, this.of(name, resolved(each))]));
  }

  private of(name: string, schema: Schema): unknown {
    const prefix = idPrefix(schema);
    if (prefix === "ten") return this.owner.id;
    if (prefix !== undefined) return this.id(prefix as keyof Owner["ids"]);
    if (name === "unit") return this.random.pick(UNITS);
    if (name === "user") return this.random.pick(USERS);
    if (name === "idempotencyKey") return this.freshKey();
    const texts = TEXTS[name];
    if (texts) return this.random.pick(texts);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.random.pick(schema.enum);
    if (schema.oneOf) return this.of(name, resolved(this.random.pick(schema.oneOf)));
    return this.ofType(name, schema);
  }

  private ofType(name: string, schema: Schema): unknown {
    const type = Array.isArray(schema.type) ? (schema.type as string[])[0] : schema.type;
    if (type === "array") {
      const items = resolved(schema.items!);
      return Array.from({ length: 1 + this.random.below(3) }, () => this.of("", items));
    }
    if (type === "boolean") return this.random.chance(30);
    if (type === "integer" || type === "number") return this.integer(name, schema);
    if (type === "string") return this.random.pick(["a", "name", "näme", "x".repeat(schema.maxLength ?? 10)]);
    if (typeof schema.additionalProperties === "object") return this.map(resolved(schema.additionalProperties));
    return this.body(schema);
  }

  private map(value: Schema): object {
    const units = this.random.chance(70) ? UNITS.slice(0, 1) : UNITS;
    return Object.fromEntries(units.map((unit) => [unit, this.of("", value)]));
  }

  private integer(name: string, { minimum = 0, maximum = 1e9 }: Schema): number {
    if (name === "limit" && maximum > 500) return this.random.pick([1_000, 10_000, 100_000]);
    if (name === "ttlMs") return this.random.pick([60_000, 3_600_000]);
    // Nothing moves while somebody waits for long.
    if (/wait/i.test(name)) return this.random.below(50);
    const small = Math.max(minimum, 0) + this.random.below(20);
    return this.random.chance(3) ? this.random.pick([minimum, maximum]) : Math.max(1, Math.min(small, maximum));
  }

  private id(kind: keyof Owner["ids"]): string {
    const owner = this.random.chance(5) ? this.random.pick(this.world.tenants) : this.owner;
    const ids = owner.ids[kind];
    if (ids.length === 0) return `${kind}_${"0".repeat(26)}`;
    return this.random.chance(NEWEST[kind]) ? ids.at(-1)! : this.random.pick(ids);
  }
}

/**
 * In how many of a hundred the newest is named: deliveries go with their webhook, permits with their reservation, that with
 * its job, and none of those lives for long here.
 */
const NEWEST = { key: 0, job: 60, rsv: 70, att: 80, dlv: 80, dny: 0 };
