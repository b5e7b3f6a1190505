import { startHoldfast, type Answer, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

type Act = (tenant: HttpTenant, id: string) => Promise<Answer>;

/** `expire` is what the reconciler does at the deadline. */
const ACTS = {
  "settle 60": (tenant, id) => tenant.settle(id, 60),
  "settle 70": (tenant, id) => tenant.settle(id, 70),
  release: (tenant, id) => tenant.release(id),
  expire: async (tenant, id) => {
    await tenant.expire(id);
    return tenant.call("GET", `/v1/reservations/${id}`);
  },
  extend: (tenant, id) => tenant.extend(id, 120_000),
  "charge 10": (tenant, id) => tenant.charge(id, [1, 1], 10),
} satisfies Record<string, Act>;
type Name = keyof typeof ACTS;
const NAMES = Object.keys(ACTS) as Name[];
const PAIRS = NAMES.flatMap((first) => NAMES.map((second) => ({ first, second })));
const ROUNDS = 10;

const CLOSED_BY_SETTLE = { release: "already_settled", extend: "already_settled", "charge 10": "already_settled" };

/** What the second says after the first: its state, that of an attempt, or the code of its refusal. */
const AFTER: Record<Name, Record<Name, string>> = {
  "settle 60": sameFor("settled", { "settle 70": "already_settled", ...CLOSED_BY_SETTLE }),
  "settle 70": sameFor("settled", { "settle 60": "already_settled", ...CLOSED_BY_SETTLE }),
  release: sameFor("released", {
    "settle 60": "already_released",
    "settle 70": "already_released",
    extend: "already_released",
    "charge 10": "already_released",
  }),
  expire: sameFor("settled", {
    release: "reservation_expired",
    expire: "expired",
    extend: "reservation_expired",
    "charge 10": "succeeded",
  }),
  extend: sameFor("settled", { release: "released", expire: "expired", extend: "open", "charge 10": "succeeded" }),
  "charge 10": sameFor("settled", { release: "released", expire: "expired", extend: "open", "charge 10": "succeeded" }),
};

function sameFor(state: string, others: Partial<Record<Name, string>>): Record<Name, string> {
  return { ...(Object.fromEntries(NAMES.map((name) => [name, state])) as Record<Name, string>), ...others };
}

function wordOf({ status, body }: Answer): string {
  if (status >= 400) return body.code;
  return status === 201 ? (body["outcome"] as string) : body.state;
}

/** What a reservation in this state holds and has spent. */
async function heldAndSpent(tenant: HttpTenant, id: string): Promise<{ held: number; spent: number }> {
  const { body } = await tenant.call("GET", `/v1/reservations/${id}`);
  const { held, charged, actual } = body as unknown as Record<string, { tokens: number } | undefined>;
  const isOpen = body.state === "open";
  expect(held!.tokens).toBe(isOpen ? 100 - charged!.tokens : 0);
  return { held: held!.tokens, spent: charged!.tokens + (actual?.tokens ?? 0) };
}

async function expectBooked(tenant: HttpTenant, ids: readonly string[]): Promise<void> {
  const ends = await Promise.all(ids.map((id) => heldAndSpent(tenant, id)));
  const sum = (of: "held" | "spent") => ends.reduce((total, end) => total + end[of], 0);
  expect(await tenant.balance()).toMatchObject({ reserved: sum("held"), spent: sum("spent") });
  await tenant.expectAtRest();
}

describe("a reservation closes once", () => {
  it.each(PAIRS)("$first, then $second", async ({ first, second }) => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ tokens: 100 });
    const one = await ACTS[first](tenant, id);
    expect(one.status).toBe(first === "charge 10" ? 201 : 200);
    const before = await tenant.balance();
    const two = await ACTS[second](tenant, id);
    expect(wordOf(two)).toBe(AFTER[first][second]);
    if (first === second && first !== "extend") expect(two.body).toEqual(one.body);
    if (two.status === 409) expect(await tenant.balance()).toEqual(before);
    if (first === "expire" && /settle|charge/.test(second)) expect(two.body["late"]).toBe(true);
    await expectBooked(tenant, [id]);
  });

  it.each(PAIRS)(`$first and $second at once, ${ROUNDS} times`, async ({ first, second }) => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 * ROUNDS } } });
    const jobId = await tenant.job();
    const ids = await Promise.all(Array.from({ length: ROUNDS }, () => tenant.openReservation({ tokens: 100, jobId })));
    const answers = await Promise.all(
      ids.map((id) => Promise.all([ACTS[first](tenant, id), ACTS[second](tenant, id)])),
    );
    for (const statuses of answers.map((pair) => pair.map(({ status }) => status).sort())) {
      expect([200, 201]).toContain(statuses[0]);
      expect([200, 201, 409]).toContain(statuses[1]);
    }
    await expectBooked(tenant, ids);
  });

  it("and the same settle 50 times at once is one settle with one answer", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ tokens: 100 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.settle(id, 60)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 60 });
    await tenant.expectAtRest();
  });
});

describe("after the deadline", () => {
  it("a settle is booked once, in full, and marked late", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ tokens: 100 });
    await tenant.expire(id);
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 0, available: 1_000 });
    const late = await tenant.settle(id, 130);
    expect(late.body).toMatchObject({ state: "settled", late: true, actual: { tokens: 130 } });
    expect((await tenant.settle(id, 130)).body).toEqual(late.body);
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 130 });
    const { body } = await tenant.call("GET", `/v1/ledger?reservationId=${id}`);
    expect(body["data"]).toMatchObject([
      { type: "reserve", reserved: 100, spent: 0 },
      { type: "expire", reserved: -100, spent: 0 },
      { type: "settle", reserved: 0, spent: 130, detail: { late: true } },
    ]);
    await tenant.expectAtRest();
  });
});
