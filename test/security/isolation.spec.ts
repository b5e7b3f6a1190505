import { fresh } from "../support/commands.js";
import { startHoldfast, type Answer, type Holdfast } from "../support/http.js";
import { neighbourOf, rowsOf, type Neighbour } from "./neighbour.js";
import { placesOf, requestOf, variantsOf, type Choice, type Place } from "./requests.js";
import { OPERATIONS, type Operation } from "./routes.js";

let holdfast: Holdfast;
/** Whose ids are sent; nothing of it may change or be seen. */
let other: Neighbour;

const OTHER = "zebra";

beforeAll(async () => {
  holdfast = await startHoldfast();
  other = await neighbourOf(holdfast, OTHER);
});
afterAll(() => holdfast.stop());

/** Names of the right shape that nobody ever had. */
const NOBODY = {
  ten: `ten_${"0".repeat(26)}`,
  key: `key_${"0".repeat(26)}`,
  job: `job_${"0".repeat(26)}`,
  rsv: `rsv_${"0".repeat(26)}`,
  att: `att_${"0".repeat(26)}.e30.${"A".repeat(22)}`,
  dlv: `dlv_${"0".repeat(26)}`,
  dny: `dny_${"0".repeat(26)}`,
  service: "nobody",
  webhook: "nobody",
  user: "nobody",
  unit: "nothing",
};

/** The operations of one tenant: with its own key, or with the operator's under its path. */
const within = OPERATIONS.filter(({ opens, path }) => opens === "tenant" || path.includes("{tenantId}"));

function send(operation: Operation, own: Neighbour, choice: Choice = {}): Promise<Answer> {
  const { method, path, body } = requestOf(operation, own.values, choice);
  return operation.opens === "admin" ? holdfast.admin(method, path, body) : own.tenant.call(method, path, body);
}

/** What the other tenant's name is in this place, in each way there is. */
async function foreignIn(operation: Operation, { kind }: Place): Promise<{ value: string; nobody: string }[]> {
  const names = other.values;
  if (kind === "scope") {
    const scope = (of: Record<"job" | "user", string>) => [`job:${of.job}`, `user:${of.user}`];
    return scope(names).map((value, i) => ({ value, nobody: scope(NOBODY)[i]! }));
  }
  if (kind !== "cursor") return [{ value: names[kind], nobody: NOBODY[kind] }];
  const { method, path } = requestOf(operation, other.values);
  const query = path.includes("balances") ? "windows=all&limit=1" : "limit=1";
  const { body } = await holdfast.call(
    operation.opens === "admin" ? holdfast.adminKey : other.tenant.key,
    method,
    `${path}?${query}`,
  );
  const value = body["nextCursor"] as string | null;
  return value === null ? [] : [{ value, nobody: "bm9ib2R5" }];
}

/** Without the name that was sent, which an answer may repeat. */
function textOf({ body }: Answer, sent: string): string {
  const names = sent === "" ? [] : [sent, encodeURIComponent(sent), sent.replace(/^(job|user):/, "")];
  return names.reduce((text, name) => text.replaceAll(name, "<sent>"), JSON.stringify(body));
}

/** The answer without what differs between any two: the name that was sent, ids, secrets and times. */
function shapeOf(answer: Answer, sent: string): { status: number; text: string } {
  const text = textOf(answer, sent)
    .replace(/\batt_[\w.-]+/g, "<permit>")
    .replace(/\bwhsec_[\w-]+/g, "<secret>")
    .replace(/\b(ten|key|job|rsv|dlv|evt|dny)_[0-9A-Z]{26}\b/g, "<id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");
  return { status: answer.status, text };
}

function expectNothingOf({ secrets }: Neighbour, answer: Answer, sent = ""): void {
  const text = textOf(answer, sent);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

/** The tenant itself stands in the path of admin routes, where the operator may name any; services are the operator's. */
const foreign = (operation: Operation): Place[] =>
  placesOf(operation).filter(({ kind }) => kind !== "ten" && kind !== "service");

describe("another tenant's name", () => {
  const places = within.flatMap((operation) =>
    foreign(operation).map(
      (place) => [operation.id, place.variant ?? place.in, place.name, { operation, place }] as const,
    ),
  );

  it.each(places)("in %s (%s %s) is one that never existed", async (_id, _in, _name, { operation, place }) => {
    const before = await rowsOf(holdfast, other.tenant.id);
    for (const { value, nobody } of await foreignIn(operation, place)) {
      const [one, two] = [await neighbourOf(holdfast, "heron"), await neighbourOf(holdfast, "heron")];
      const answer = await send(operation, one, { place, value });
      const control = await send(operation, two, { place, value: nobody });
      expect(shapeOf(answer, value)).toEqual(shapeOf(control, nobody));
      if (["key", "job", "rsv", "att", "dlv", "dny"].includes(place.kind) && place.in !== "query") {
        expect(answer.body.results?.[0]?.status ?? answer.status).toBe(404);
      }
      expectNothingOf(other, answer, value);
    }
    expect(await rowsOf(holdfast, other.tenant.id)).toEqual(before);
  });

  it("is tried in every list that has a second page", async () => {
    const lists = within.filter((operation) => placesOf(operation).some(({ kind }) => kind === "cursor"));
    const cursors = lists.map((operation) => foreignIn(operation, { in: "query", name: "cursor", kind: "cursor" }));
    const found = (await Promise.all(cursors)).map((each, i) => [lists[i]!.id, each.length]);
    expect(found).toEqual(lists.map(({ id }) => [id, /balances/.test(id) ? expect.any(Number) : 1]));
  });
});

describe("what is a tenant's own", () => {
  const whole = within.flatMap((operation) =>
    variantsOf(operation).map((variant) => [operation.id, variant ?? "", { operation, variant }] as const),
  );

  it.each(whole)(
    "is done and shown by %s %s, and nothing of another",
    async (_id, _variant, { operation, variant }) => {
      const before = await rowsOf(holdfast, other.tenant.id);
      const own = await neighbourOf(holdfast, "heron");
      const answer = await send(operation, own, { variant });
      expect([200, 201]).toContain(answer.body.results?.[0]?.status ?? answer.status);
      expectNothingOf(other, answer);
      expect(await rowsOf(holdfast, other.tenant.id)).toEqual(before);
    },
  );
});

describe("an idempotency key", () => {
  const keyed = OPERATIONS.filter(({ parameters }) => parameters.some(({ in: at }) => at === "header"));

  it.each(keyed.map((operation) => [operation.id, operation] as const))(
    "of another tenant is a new one to %s",
    async (_, operation) => {
      const headers = { "idempotency-key": fresh("K") };
      const [first, second] = [await neighbourOf(holdfast, "heron"), await neighbourOf(holdfast, "otter")];
      const call = ({ values, tenant }: Neighbour) => {
        const { method, path, body } = requestOf(operation, values);
        const key = operation.opens === "admin" ? holdfast.adminKey : tenant.key;
        return holdfast.call(key, method, path, body, headers);
      };
      for (const neighbour of [first, second]) {
        const answer = await call(neighbour);
        expect([200, 201]).toContain(answer.status);
        expect(answer.headers.get("idempotency-replayed")).toBeNull();
        const again = await call(neighbour);
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        expect(again.body).toEqual(answer.body);
        expectNothingOf(neighbour === first ? second : first, again);
      }
    },
  );
});
