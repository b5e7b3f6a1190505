import type { FuzzRandom } from "./fuzz-random.js";
import { idPrefix, resolved, type Operation, type Schema } from "./routes.js";

/** What requests are filled with: what there is by now, by kind. */
export type Pools = Readonly<Record<"ten" | "spare" | "key" | "job" | "rsv", string[]>>;

/** Stands for itself in JSON text, outside of quotes: numbers that JavaScript cannot hold. */
const bare = (text: string) => `@bare@${text}@`;

export function jsonOf(value: unknown): string {
  return JSON.stringify(value).replace(/"@bare@([^@"]*)@"/g, "$1");
}

const LONG = "long".repeat(1_000);

/** What stands where something else should. */
export const ODD: readonly unknown[] = [
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

/** Ids of an operation that ends a tenant or a key are of those that nothing else needs. */
const ENDS = ["tenants.remove", "tenants.suspend", "tenants.resume", "tenants.change", "keys.revoke"];

export function endsSomething({ id }: Operation): boolean {
  return ENDS.includes(id);
}

const UNITS = ["tokens", "calls"];
const USERS = ["ada", "bob", "päule ü"];
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  timeZone: ["UTC", "Europe/Berlin", "Asia/Kolkata"],
  scope: ["tenant", "user:ada"],
};

/** Values that fit their schema, drawn at random. */
export class ValidValues {
  private made = 0;

  constructor(
    private readonly random: FuzzRandom,
    private readonly pools: Pools,
  ) {}

  parameter(operation: Operation, name: string, schema: Schema): string {
    if (idPrefix(schema) === "ten" && endsSomething(operation)) return this.id("spare");
    if (name === "scope" && this.random.chance(50)) return `job:${this.id("job")}`;
    const value = this.of(name, schema);
    return typeof value === "string" ? value : String(value);
  }

  freshKey(): string {
    return `fuzz-${++this.made}`;
  }

  body(schema: Schema): Record<string, unknown> {
    const { properties = {}, required = [] } = schema;
    const entries = Object.entries(properties).filter(([name]) => {
      if (required.includes(name)) return true;
      if (name === "plan" || name === "service") return false;
      return name === "amounts" || name === "idempotencyKey" || this.random.chance(30);
    });
    const planned = "plan" in properties && this.random.chance(40);
    const chosen = planned
      ? entries.filter(([name]) => name !== "amounts").concat([["plan", properties["plan"]!]])
      : entries;
    return Object.fromEntries(chosen.map(([name, each]) => [name, this.of(name, resolved(each))]));
  }

  private of(name: string, schema: Schema): unknown {
    const prefix = idPrefix(schema);
    if (prefix !== undefined) return this.id(prefix as keyof Pools);
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
    if (type === "integer") return this.integer(name, schema);
    if (type === "string") return this.random.pick(["a", "name", "näme", "x".repeat(schema.maxLength ?? 10)]);
    if (typeof schema.additionalProperties === "object") return this.map(resolved(schema.additionalProperties));
    return this.body(schema);
  }

  private map(value: Schema): object {
    const units = this.random.chance(70) ? UNITS.slice(0, 1) : UNITS;
    return Object.fromEntries(units.map((unit) => [unit, this.of("", value)]));
  }

  private integer(name: string, { minimum = 0, maximum = 1e9 }: Schema): number {
    if (name === "limit" && maximum > 500) return this.random.pick([100_000, 1_000_000, 0]);
    if (name === "ttlMs") return this.random.pick([60_000, 3_600_000]);
    const small = Math.max(minimum, 0) + this.random.below(20);
    return this.random.chance(3) ? this.random.pick([minimum, maximum]) : Math.max(1, Math.min(small, maximum));
  }

  private id(kind: keyof Pools): string {
    const pool = this.pools[kind];
    return pool.length === 0 ? `${kind === "spare" ? "ten" : kind}_${"0".repeat(26)}` : this.random.pick(pool);
  }
}
