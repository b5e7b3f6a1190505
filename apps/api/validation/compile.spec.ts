import "reflect-metadata";
import { IsArray, IsIn, IsInt, Min, validateSync, ValidateNested } from "class-validator";
import { CreateJobOperation, ReserveOperation } from "../batch/batch.dto.js";
import { ReconcileBody } from "../reconcile/reconcile.dto.js";
import { ExtendBody, PlanBody, ReserveBody, SettleBody } from "../reservations/reservation.dto.js";
import { CreateTenantBody, PatchTenantBody } from "../tenants/tenant.dto.js";
import { NestedType, validatorOf, type Dto } from "./compile.js";

const VALUES: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    1.5,
    999,
    1_000,
    2 ** 53,
    Number.MAX_SAFE_INTEGER,
    1e21,
    Infinity,
    NaN,
  ],
  ...["", "a", "all", "audit", "observe", "unlimited", "x".repeat(201), "a\u0000b", "a\ud800", "\u{1f600}", "1"],
  ...[[], [1], ["audit"], ["audit", "x"], {}, { tokens: 1 }, { tokens: -1 }, { tokens: null }, { Bad: 1 }, { a: "b" }],
  ...[{ children: 1, attempts: 1, attemptCost: { tokens: 1 } }, { children: 0 }, { children: 1, x: 1 }],
  ...[
    { tokens: { limit: 1 } },
    { tokens: { limit: "unlimited", period: "day" } },
    { tokens: { limit: 1, period: "year" } },
  ],
];

const DTOS: readonly [Dto, readonly string[], object][] = [
  [ReserveBody, ["plan", "amounts", "ttlMs", "admit", "dryRun", "service", "unknown"], { amounts: { tokens: 1 } }],
  [
    ReserveOperation,
    ["op", "jobId", "idempotencyKey", "plan", "other"],
    { op: "reserve", jobId: "a", amounts: { tokens: 1 } },
  ],
  [CreateJobOperation, ["user", "name", "labels", "allowance", "id"], { op: "createJob" }],
  [SettleBody, ["actual", "unknown"], {}],
  [ExtendBody, ["ttlMs"], {}],
  [CreateTenantBody, ["name", "enforcement", "allowances", "jobAllowance", "unknown"], { name: "a", allowances: {} }],
  [PatchTenantBody, ["name", "enforcement", "jobAllowance", "userAllowance"], {}],
  [ReconcileBody, ["tasks", "unknown"], {}],
];

function bodiesFor(fields: readonly string[], base: object): object[] {
  const withEach = (body: object) => fields.flatMap((field) => VALUES.map((value) => ({ ...body, [field]: value })));
  return [{}, base, ...withEach(base), ...withEach({})];
}

/** What class-validator needs to see the classes: instances, which it takes from class-transformer elsewhere. */
function instanceOf(type: Dto, body: object): object {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  const plain = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const nested = fields.map(([name, value]) => [
    name,
    name === "plan" && plain(value) ? instanceOf(PlanBody, value) : value,
  ]);
  return Object.assign(new type(), Object.fromEntries(nested) as object);
}

function faultyFields(type: Dto, body: object): string[] {
  const errors = validateSync(instanceOf(type, body), { whitelist: true, forbidNonWhitelisted: true });
  return [...new Set(errors.map(({ property }) => property))].sort();
}

function ourFaultyFields(type: Dto, body: object): string[] {
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  return [...new Set(validatorOf(type)(present).map(({ pointer }) => pointer.split("/")[1]!))].sort();
}

describe("compiled validation", () => {
  it.each(DTOS)("finds %p faulty in the same fields as class-validator does", (type, fields, base) => {
    const bodies = bodiesFor(fields, base);
    const verdicts = bodies.map((body) => ourFaultyFields(type, body));
    expect(verdicts).toEqual(bodies.map((body) => faultyFields(type, body)));
    expect(verdicts.some((faulty) => faulty.length === 0)).toBe(true);
    expect(verdicts.some((faulty) => faulty.length > 0)).toBe(true);
  });

  it("points to the very place, escaped as RFC 6901 says", () => {
    const errors = (body: object) => validatorOf(ReserveBody)(body).map(({ pointer }) => pointer);
    expect(errors({ plan: { children: 1, attempts: 0, attemptCost: { tokens: -1 } } })).toEqual([
      "/plan/attempts",
      "/plan/attemptCost/tokens",
    ]);
    expect(errors({ amounts: { "a/b~c": 1 }, "x/y": 1 })).toEqual(["/x~1y", "/amounts/a~1b~0c"]);
  });

  it.each([undefined, null, [], "a", 1])("refuses %p as a whole", (value) => {
    expect(validatorOf(ReserveBody)(value)).toEqual([{ pointer: "", message: "must be an object" }]);
  });

  it("takes names of Object's own for unknown fields", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      expect(validatorOf(PatchTenantBody)({ [name]: 1 })).toEqual([
        { pointer: `/${name}`, message: "is not a known field" },
      ]);
    }
    expect(validatorOf(SettleBody)({ actual: { constructor: 1 } })).toEqual([]);
  });

  it("names a bounded number of faults", () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field${i}`, i]));
    expect(validatorOf(SettleBody)(many)).toHaveLength(20);
  });

  it("knows what any decorator of class-validator registers: each, nested arrays, default messages", () => {
    class Item {
      @IsInt()
      @Min(1)
      n!: number;
    }
    class List {
      @IsArray()
      @NestedType(() => Item)
      @ValidateNested({ each: true })
      items!: Item[];

      @IsIn(["a", "b"], { each: true })
      words!: string[];
    }
    const errors = validatorOf(List)({ items: [{ n: 1 }, { n: 0 }, 5], words: ["a", "c"] });
    expect(errors).toEqual([
      { pointer: "/items/1/n", message: "must not be less than 1" },
      { pointer: "/items/2", message: "must be an object" },
      { pointer: "/words", message: "each value in words must be one of the following values: a,b" },
    ]);
  });
});
