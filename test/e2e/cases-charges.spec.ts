import { fresh } from "../support/commands.js";
import { startHoldfast, type Holdfast } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

/** Instead of amounts. */
const PLAN = { amounts: undefined, plan: { children: 4, attempts: 3, attemptCost: { tokens: 10 } } };

describe("charges", () => {
  it("201: spend from the reservation, and give back what a success does not need any more", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ body: PLAN });
    const answer = await tenant.charge(id, [1, 1], 8);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      ...{ reservationId: id, child: 1, attempt: 1, outcome: "succeeded", actual: { tokens: 8 } },
      ...{ released: { tokens: 22 }, overage: { tokens: 0 }, late: false },
    });
    expect(await tenant.balance()).toMatchObject({ reserved: 90, spent: 8 });
    await tenant.charge(id, [2, 1], 12, "failed");
    expect((await tenant.call("GET", `/v1/reservations/${id}`)).body).toMatchObject({
      ...{ state: "open", reserved: { tokens: 120 }, held: { tokens: 80 }, charged: { tokens: 20 } },
    });
    const settled = await tenant.settle(id, 30);
    expect(settled.body).toMatchObject({
      ...{ actual: { tokens: 30 }, charged: { tokens: 20 }, held: { tokens: 0 } },
      ...{ released: { tokens: 70 }, overage: { tokens: 0 } },
    });
    const { body } = await tenant.call("GET", `/v1/ledger?reservationId=${id}&type=charge`);
    expect(body["data"]).toMatchObject([
      { reserved: -30, spent: 8, detail: { child: 1, attempt: 1 } },
      { reserved: -10, spent: 12, detail: { child: 2, attempt: 1 } },
    ]);
    await tenant.expectAtRest();
  });

  it("409 attempts_exhausted: beyond the plan, and after a success; nothing changes", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ body: PLAN });
    await tenant.charge(id, [1, 1], 8);
    for (const place of [
      [5, 1],
      [4, 4],
      [1, 2],
    ] as const) {
      const { status, body, headers } = await tenant.charge(id, place, 1);
      expect({ status, code: body.code, retryable: body["retryable"] }).toEqual({
        ...{ status: 409, code: "attempts_exhausted", retryable: false },
      });
      expect(headers.get("retry-after")).toBeNull();
    }
    expect(await tenant.balance()).toMatchObject({ reserved: 90, spent: 8 });
    await tenant.expectAtRest();
  });

  it("the same attempt 50 times at once, under its own key each, is one charge with one answer", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ body: PLAN });
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.charge(id, [1, 1], 8)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect((await tenant.charge(id, [1, 1], 9)).body.code).toBe("conflict");
    expect(await tenant.balance()).toMatchObject({ reserved: 90, spent: 8 });
    await tenant.expectAtRest();
  });

  it("all attempts of 50 children at once are each booked once, and in the end nothing is held", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_500 } } });
    const plan = { children: 50, attempts: 3, attemptCost: { tokens: 10 } };
    const id = await tenant.openReservation({ body: { amounts: undefined, plan } });
    const places = Array.from({ length: 50 }, (_, i) => [i + 1, 1] as const);
    await Promise.all(places.map((place) => tenant.charge(id, place, 7, "failed")));
    expect(await tenant.balance()).toMatchObject({ reserved: 1_000, spent: 350 });
    const results = await tenant.batch(
      places.map(([child]) => {
        return { op: "charge", reservationId: id, child, attempt: 2, outcome: "succeeded", actual: { tokens: 9 } };
      }),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 800 });
    await tenant.expectAtRest();
  });

  it("one key has one effect: replayed, and 422 for another attempt under it", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ body: PLAN });
    const key = fresh("K");
    const first = await tenant.charge(id, [1, 1], 8, "succeeded", key);
    const again = await tenant.charge(id, [1, 1], 8, "succeeded", key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect((await tenant.charge(id, [2, 1], 8, "succeeded", key)).status).toBe(422);
    const keyless = { child: 2, attempt: 1, outcome: "failed", actual: { tokens: 1 } };
    const missing = await tenant.call("POST", `/v1/reservations/${id}/charges`, keyless, { "idempotency-key": null });
    expect(missing.body.code).toBe("idempotency_key_missing");
  });

  it.each([
    ["a child of 0", { child: 0 }, "/child"],
    ["an attempt in text", { attempt: "1" }, "/attempt"],
    ["an outcome that there is not", { outcome: "done" }, "/outcome"],
    ["a unit that was not reserved", { actual: { tokens: 1, calls: 1 } }, "/actual/calls"],
    ["an amount below 0", { actual: { tokens: -1 } }, "/actual/tokens"],
    ["a field that is not known", { cost: 1 }, "/cost"],
  ])("400: %s", async (_, wrong, pointer) => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ body: PLAN });
    const body = { child: 1, attempt: 1, outcome: "failed", actual: { tokens: 1 }, ...wrong };
    const answer = await tenant.call("POST", `/v1/reservations/${id}/charges`, body);
    expect(answer.status).toBe(400);
    expect(answer.body["errors"]).toMatchObject([{ pointer }]);
    expect(await tenant.balance()).toMatchObject({ reserved: 120, spent: 0 });
  });

  it("are listed by child and attempt, page by page, each once", async () => {
    const tenant = await holdfast.tenant();
    const id = await tenant.openReservation({ body: PLAN });
    const places = [
      [2, 1],
      [1, 2],
      [1, 1],
      [10, 1],
    ].filter(([child]) => child! <= 4);
    for (const [child, attempt] of places) await tenant.charge(id, [child!, attempt!], 1, "failed");
    const seen: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body } = await tenant.call(
        "GET",
        `/v1/reservations/${id}/attempts?limit=1${cursor && `&cursor=${cursor}`}`,
      );
      for (const { child, attempt } of body["data"] as { child: number; attempt: number }[])
        seen.push([child, attempt]);
      cursor = body["nextCursor"] as string | null;
    }
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    const none = await tenant.call("GET", `/v1/reservations/rsv_${"0".repeat(26)}/attempts`);
    expect(none.status).toBe(404);
  });
});
