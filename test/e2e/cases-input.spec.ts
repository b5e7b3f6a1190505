import { startHoldfast, type Answer, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;
let tenant: HttpTenant;
let jobId: string;
/** An open reservation of 100. */
let open: string;

beforeAll(async () => {
  holdfast = await startHoldfast();
  tenant = await holdfast.tenant({ userAllowance: { tokens: 900 }, jobAllowance: { tokens: 800 } });
  jobId = await tenant.job({ user: "ada" });
  open = await tenant.openReservation({ jobId, tokens: 100, ttlMs: 3_600_000 });
});
afterAll(() => holdfast.stop());

/** As JSON text, since some have no value in JavaScript. */
const BAD = [
  ...[
    "-1",
    "-0.0",
    '"-1"',
    '"NaN"',
    '"Infinity"',
    "1e400",
    "1.5",
    '"1e3"',
    '"0x10"',
    '" 5 "',
    '""',
    "null",
    "true",
    "[]",
  ],
  ...["[5]", "{}", '"\u0661\u0662"', '"1_000"', "1e21", "9007199254740992", '"5"', "false"],
];
const MISSING = "missing";

type Send = (field: string) => Promise<Answer>;

interface Field {
  readonly name: string;
  readonly pointer: string;
  /** Sends a request in which the place of the value is this text: `"<name>": <value>`, or nothing. */
  readonly send: Send;
  /** Whether it may be left out. */
  readonly optional?: true;
}

const reserve = (text: string) => tenant.call("POST", `/v1/jobs/${jobId}/reservations`, text);
const planned = (others: string) => (field: string) => reserve(`{"plan":{${join(others, field)}}}`);
const join = (...members: string[]) => members.filter((member) => member !== "").join(",");

const FIELDS: readonly Field[] = [
  {
    name: "tokens",
    pointer: "/plan/attemptCost",
    send: (field) => reserve(`{"plan":{"children":1,"attempts":1,"attemptCost":{${field}}}}`),
  },
  { name: "tokens", pointer: "/amounts", send: (field) => reserve(`{"amounts":{${field}}}`) },
  { name: "children", pointer: "/plan", send: planned('"attempts":1,"attemptCost":{"tokens":1}') },
  { name: "attempts", pointer: "/plan", send: planned('"children":1,"attemptCost":{"tokens":1}') },
  {
    name: "ttlMs",
    pointer: "",
    optional: true,
    send: (field) => reserve(`{${join('"amounts":{"tokens":1}', field)}}`),
  },
  {
    name: "tokens",
    pointer: "/actual",
    send: (field) => tenant.call("POST", `/v1/reservations/${open}/settle`, `{"actual":{${field}}}`),
  },
  { name: "ttlMs", pointer: "", send: (field) => tenant.call("POST", `/v1/reservations/${open}/extend`, `{${field}}`) },
  { name: "limit", pointer: "", send: (field) => tenant.admin("PUT", "/allowances/tokens", `{${field}}`) },
  { name: "limit", pointer: "", send: (field) => tenant.admin("PUT", "/users/ada/allowances/tokens", `{${field}}`) },
  {
    name: "delta",
    pointer: "",
    send: (field) => tenant.admin("POST", "/allowances/tokens/adjust", `{${join('"reason":"r"', field)}}`),
  },
  {
    name: "tokens",
    pointer: "/allowance",
    send: (field) => tenant.call("POST", "/v1/jobs", `{"allowance":{${field}}}`),
  },
  {
    name: "limit",
    pointer: "/allowances/tokens",
    send: (field) => holdfast.admin("POST", "/v1/admin/tenants", `{"name":"a","allowances":{"tokens":{${field}}}}`),
  },
  {
    name: "tokens",
    pointer: "/userAllowance",
    optional: true,
    send: (field) =>
      holdfast.admin("POST", "/v1/admin/tenants", `{"name":"a","allowances":{},"userAllowance":{${field}}}`),
  },
];

async function figures(): Promise<object> {
  const scopes = ["tenant", "user:ada", `job:${jobId}`];
  const reservation = await tenant.call("GET", `/v1/reservations/${open}`);
  return { balances: await Promise.all(scopes.map((scope) => tenant.balances(scope))), reservation: reservation.body };
}

function isBad({ name }: Field, value: string): boolean {
  return !(name === "delta" && value === "-1");
}

describe("a number that is none is refused by its field and changes nothing", () => {
  const table = FIELDS.map((field, i) => ({ at: `${field.pointer}/${field.name}`, field, i }));

  it.each(table)("$at (request $i)", async ({ at, field }) => {
    const before = await figures();
    const answers = await Promise.all(
      [...BAD, MISSING]
        .filter((value) => isBad(field, value) && !(field.optional && value === MISSING))
        .map(async (value) => {
          const { status, body } = await field.send(value === MISSING ? "" : `"${field.name}":${value}`);
          const pointers = (body["errors"] as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer);
          return { value, status, code: body.code, pointers };
        }),
    );
    for (const { value, ...answer } of answers) {
      // A map by unit that lacks its one unit is wrong as a map.
      const pointer = value === MISSING && field.name === "tokens" ? field.pointer : at;
      expect({ value, ...answer }).toEqual({ value, status: 400, code: "validation_failed", pointers: [pointer] });
    }
    expect(await figures()).toEqual(before);
  });
});

describe("what is no number", () => {
  it.each(['"false"', '"true"', "0", "1", "null", '""', "[]", "{}"])(
    "does not switch an option: dryRun %s is 400",
    async (value) => {
      const before = await figures();
      const { status, body } = await reserve(`{"amounts":{"tokens":1},"dryRun":${value}}`);
      expect([status, (body["errors"] as object[]).length]).toEqual([400, 1]);
      expect(body["errors"]).toMatchObject([{ pointer: "/dryRun" }]);
      expect(await figures()).toEqual(before);
    },
  );

  it.each([
    ["a field that is not known", '{"amounts":{"tokens":1},"cost":5}', "/cost"],
    ["a unit that is no name", '{"amounts":{"Tokens":1}}', "/amounts/Tokens"],
    ["a unit by the name of a prototype", '{"amounts":{"__proto__":1}}', ""],
    [
      "both a plan and amounts",
      '{"plan":{"children":1,"attempts":1,"attemptCost":{"tokens":1}},"amounts":{"tokens":1}}',
      "/amounts",
    ],
    ["a body that is an array", "[]", ""],
    ["a body that is no JSON", "{", ""],
    ["a body that is null", "null", ""],
    ["a plan that is an array", '{"plan":[]}', "/plan"],
    ["a time of life below a second", '{"amounts":{"tokens":1},"ttlMs":999}', "/ttlMs"],
    ["a time of life above 30 days", '{"amounts":{"tokens":1},"ttlMs":2592000001}', "/ttlMs"],
  ])("is refused as well: %s", async (_, text, pointer) => {
    const before = await figures();
    const { status, body } = await reserve(text);
    expect([status, body.code]).toEqual([400, "validation_failed"]);
    expect((body["errors"] as { pointer: string }[])[0]!.pointer.startsWith(pointer)).toBe(true);
    expect(await figures()).toEqual(before);
  });

  it("is refused where a plan comes to more than any amount", async () => {
    const before = await figures();
    const plan = { children: 9_007_199_254_740_991, attempts: 2, attemptCost: { tokens: 1 } };
    const { status } = await tenant.reserve(jobId, { plan });
    expect([400, 402]).toContain(status);
    expect(await figures()).toEqual(before);
  });

  it("is refused for one operation of a batch alone", async () => {
    const [bad, good] = await tenant.batch([
      { op: "reserve", jobId, amounts: { tokens: "1" } },
      { op: "reserve", jobId, amounts: { tokens: 0 } },
    ]);
    expect([bad!.status, good!.status]).toEqual([400, 201]);
    expect(bad!.body["errors"]).toMatchObject([{ pointer: "/amounts/tokens" }]);
  });
});

describe("what a client says it used", () => {
  it.each([
    ["lacks a unit that was reserved", {}],
    ["lacks one of two units", { tokens: 1 }],
    ["has a unit that was not reserved", { tokens: 1, calls: 1, usd_micros: 1 }],
  ])("is refused where it %s", async (_, actual) => {
    const other = await holdfast.tenant({
      allowances: { tokens: { limit: 10 }, calls: { limit: 10 }, usd_micros: { limit: 10 } },
    });
    const id = await other.openReservation({ body: { amounts: { tokens: 5, calls: 5 } } });
    expect((await other.settle(id, actual)).status).toBe(400);
    expect((await other.call("GET", `/v1/reservations/${id}`)).body.state).toBe("open");
    await other.expectAtRest();
  });

  it("cannot be lowered later", async () => {
    const other = await holdfast.tenant();
    const id = await other.openReservation({ tokens: 500 });
    await other.settle(id, 500);
    expect((await other.settle(id, 100)).body.code).toBe("already_settled");
    expect(await other.balance()).toMatchObject({ spent: 500, reserved: 0 });
    await other.expectAtRest();
  });
});

it("leaves the tenant that all of it was sent to as it was", async () => {
  expect(await tenant.balance()).toMatchObject({ limit: 1_000, reserved: 100, spent: 0 });
  await tenant.expectAtRest();
});
