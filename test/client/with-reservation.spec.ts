import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AlreadySettled,
  ExceedsLimit,
  JobNotOpen,
  NotSettled,
  WorkHung,
  type ReservationContext,
  type WithReservationOptions,
} from "#libs/client";
import { ClientWorld, never, reasonOf } from "./world.js";

let world: ClientWorld;
let folder: string;

beforeAll(async () => {
  world = await ClientWorld.start();
  folder = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
}, 60_000);
beforeEach(() => world.calm());
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world?.stop();
});

/** How often the service was told of an end: settles and releases that arrived. */
const ends = (): string[] =>
  world.proxy.seen.filter((line) => /\/(settle|release)$/.test(line)).map((line) => line.replace(/.*\//, ""));

type Work = (context: ReservationContext) => Promise<unknown> | unknown;

/** Runs it over 100 tokens of a new job; what came of it, once the tenant is at rest. */
async function outcomeOf(work: Work, options?: WithReservationOptions) {
  const tenant = await world.holdfast.tenant();
  const error = await reasonOf(
    world.clientOf(tenant).withReservation(await tenant.job(), { tokens: 100 }, work, options),
  );
  const { spent, reserved } = await tenant.balance();
  await tenant.expectAtRest();
  return { error, spent, reserved, ends: ends() };
}

const refusal = (status: number): Error => Object.assign(new Error("refused"), { status });

describe("withReservation ends in exactly one of settle and release", () => {
  it.each<[string, Work, number]>([
    ["settles what work told that returned", ({ use }) => (use({ tokens: 30 }), use({ tokens: 12 })), 42],
    ["settles more than it held, in full", ({ use }) => use({ tokens: 130 }), 130],
    ["settles an explicit 0 as 0", ({ use }) => use({ tokens: 0 }), 0],
    ["settles as planned where work that returned told nothing", () => undefined, 100],
    ["settles as planned where a meter tells nonsense", ({ watch }) => void watch(meter(1.5)), 100],
    ["takes what a meter saw, once", ({ watch, use }) => (watch(meter(7)), use({ tokens: 1 })), 8],
  ])("%s", async (_, work, spent) => {
    expect(await outcomeOf(work)).toEqual({ error: undefined, spent, reserved: 0, ends: ["settle"] });
  });

  it.each<[string, Work, number]>([
    ["settles what work told that threw", ({ use }) => (use({ tokens: 5 }), fail(new Error("x"))), 5],
    ["settles as planned where work that threw told nothing: it may have used all", () => fail(new Error("x")), 100],
    ["settles nothing where a service refused it, so that it did nothing", () => fail(refusal(400)), 0],
    ["settles as planned where a service broke under it", () => fail(refusal(500)), 100],
  ])("%s", async (_, work, spent) => {
    const outcome = await outcomeOf(work);
    expect(outcome).toEqual({ error: expect.any(Error), spent, reserved: 0, ends: ["settle"] });
  });

  it("settles what work told that was aborted, and throws the reason that the work saw", async () => {
    const abort = new AbortController();
    const stop = new Error("stop");
    const work: Work = async ({ use, signal }) => {
      use({ tokens: 9 });
      abort.abort(stop);
      await sleep(60_000, undefined, { signal }).catch(() => signal.throwIfAborted());
    };
    const outcome = await outcomeOf(work, { signal: abort.signal });
    expect(outcome).toEqual({ error: stop, spent: 9, reserved: 0, ends: ["settle"] });
  });

  it("settles work that hangs past its time limit and does not stop, as planned", async () => {
    const outcome = await outcomeOf(() => new Promise(() => undefined), { timeoutMs: 20, graceMs: 20 });
    expect(outcome).toEqual({ error: expect.any(WorkHung), spent: 100, reserved: 0, ends: ["settle"] });
    expect((outcome.error as Error).cause).toMatchObject({ name: "TimeoutError" });
  });

  it("releases what never started, also where the answer to the reservation was lost with the abort", async () => {
    const abort = new AbortController();
    let reserved = 0;
    world.proxy.set((line) => {
      if (!line.endsWith("/reservations")) return "pass";
      reserved += 1;
      if (reserved > 1) return "pass";
      setImmediate(() => abort.abort(new Error("stop")));
      return "twice";
    });
    let ran = false;
    const outcome = await outcomeOf(() => (ran = true), { signal: abort.signal });
    expect(outcome).toMatchObject({ spent: 0, reserved: 0, ends: ["release"] });
    expect(ran).toBe(false);
  });

  it("runs nothing under a key whose reservation has ended: no work without a hold", async () => {
    const tenant = await world.holdfast.tenant();
    const job = await world.clientOf(tenant).openJob();
    const once = { idempotencyKey: "once" };
    await job.withReservation({ tokens: 100 }, ({ use }) => use({ tokens: 2 }), once);
    expect(await reasonOf(job.withReservation({ tokens: 100 }, never, once))).toBeInstanceOf(AlreadySettled);
    expect(await tenant.balance()).toMatchObject({ spent: 2, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("runs nothing where it does not fit, and asks once", async () => {
    const tenant = await world.holdfast.tenant();
    let ran = false;
    const job = await tenant.job();
    const error = await reasonOf(world.clientOf(tenant).withReservation(job, { tokens: 1_001 }, () => (ran = true)));
    expect(error).toBeInstanceOf(ExceedsLimit);
    expect(error).toMatchObject({ limit: 1_000, requested: 1_001, scope: { kind: "tenant" } });
    expect(ran).toBe(false);
    expect(world.proxy.seen).toHaveLength(1);
  });
});

function fail(error: Error): never {
  throw error;
}

const meter = (tokens: number) => ({ settlement: () => ({ actual: { tokens }, estimated: false }) });

describe("a settle that fails", () => {
  it.each(["fail", "lose", "drop", "twice"] as const)(
    "is sent again until it is answered, and books once: %s",
    async (fate) => {
      let settles = 0;
      world.proxy.set((line) => (line.endsWith("/settle") && ++settles <= 2 ? fate : "pass"));
      const outcome = await outcomeOf(({ use }) => use({ tokens: 40 }));
      expect(outcome).toMatchObject({ error: undefined, spent: 40, reserved: 0 });
      expect(ends()).not.toContain("release");
    },
  );

  it("is thrown without a journal, with what is left to tell, and never becomes a release", async () => {
    const tenant = await world.holdfast.tenant();
    const client = world.clientOf(tenant);
    world.proxy.set((line) => (line.endsWith("/settle") ? "fail" : "pass"));
    const error = await reasonOf(
      client.withReservation(await tenant.job(), { tokens: 100 }, ({ use }) => use({ tokens: 40 })),
    );
    expect(error).toBeInstanceOf(NotSettled);
    expect(new Set(ends())).toEqual(new Set(["settle"]));
    world.proxy.set(() => "pass");
    expect(await client.close((error as NotSettled).closing)).toBe("settled");
    expect(await client.close((error as NotSettled).closing)).toBe("settled");
    expect(await tenant.balance()).toMatchObject({ spent: 40, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("is thrown where the journal cannot be written either", async () => {
    const tenant = await world.holdfast.tenant();
    world.proxy.set((line) => (line.endsWith("/settle") ? "fail" : "pass"));
    const client = world.clientOf(tenant, { journal: join(folder, "no", "such", "folder") });
    const error = await reasonOf(
      client.withReservation(await tenant.job(), { tokens: 100 }, ({ use }) => use({ tokens: 4 })),
    );
    expect(error).toBeInstanceOf(NotSettled);
    expect(error).toMatchObject({ closing: { actual: { tokens: 4 } }, cause: { code: "ENOENT" } });
  });

  it("is kept in the journal and told by the next start, once, also after the reservation has expired", async () => {
    const tenant = await world.holdfast.tenant();
    const journal = join(folder, "kept.jsonl");
    world.proxy.set((line) => (line.endsWith("/settle") ? "fail" : "pass"));
    const closed: unknown[] = [];
    const value = await world
      .clientOf(tenant, { journal })
      .withReservation(await tenant.job(), { tokens: 100 }, ({ use }) => (use({ tokens: 40 }), "the value"), {
        onClosed: (as) => closed.push(as),
      });
    expect(value).toBe("the value");
    expect(closed).toMatchObject([{ as: "journalled", actual: { tokens: 40 }, estimated: false }]);
    const { reservationId } = closed[0] as { reservationId: string };
    await tenant.expire(reservationId);
    // Lines that nobody can tell, and a crash while a further one was written.
    writeFileSync(journal, `${readFileSync(journal, "utf8")}\nnull\n{"v":1,"keep":{}}\n{"v":1,"keep":{"reserv`);

    const unreachable = await world.clientOf(tenant, { journal }).replayed;
    expect(unreachable).toMatchObject({ told: [], kept: [{ closing: { reservationId } }] });
    world.proxy.set(() => "pass");
    const foreign = await world.clientOf(await world.holdfast.tenant(), { journal }).replayed;
    expect(foreign).toMatchObject({ told: [], refused: [], kept: [{ closing: { reservationId } }] });
    const replayed = await world.clientOf(tenant, { journal }).replayed;
    expect(replayed).toEqual({ told: [reservationId], refused: [], kept: [] });
    expect(() => readFileSync(journal)).toThrow("ENOENT");
    expect(await tenant.balance()).toMatchObject({ spent: 40, reserved: 0 });
    await tenant.expectAtRest();
  });
});

describe("while the work runs", () => {
  it("the reservation is kept open past its time to live", async () => {
    const tenant = await world.holdfast.tenant();
    const work: Work = async ({ use, reservationId }) => {
      await sleep(1_800);
      expect((await tenant.call("GET", `/v1/reservations/${reservationId}`)).body.state).toBe("open");
      use({ tokens: 1 });
    };
    await world.clientOf(tenant).withReservation(await tenant.job(), { tokens: 100 }, work, { ttlMs: 1_000 });
    expect(await tenant.balance()).toMatchObject({ spent: 1, reserved: 0 });
  });

  it("it is told to stop when its job is cancelled, and what it used is settled", async () => {
    const tenant = await world.holdfast.tenant();
    const job = await world.clientOf(tenant).openJob();
    const work: Work = async ({ use, signal }) => {
      use({ tokens: 3 });
      await job.cancel();
      await sleep(30_000, undefined, { signal }).catch(() => signal.throwIfAborted());
    };
    const error = await reasonOf(job.withReservation({ tokens: 100 }, work, { ttlMs: 1_000 }));
    expect(error).toBeInstanceOf(JobNotOpen);
    expect(await tenant.balance()).toMatchObject({ spent: 3, reserved: 0 });
    await tenant.expectAtRest();
  });
});

it("a child job spends its grant and no more, and what it leaves comes back when it ends", async () => {
  const tenant = await world.holdfast.tenant();
  const parent = await world.clientOf(tenant).openJob({ allowance: { tokens: 500 } });
  const child = await parent.child({ tokens: 100 });
  expect(await reasonOf(child.withReservation({ tokens: 101 }, () => 0))).toBeInstanceOf(ExceedsLimit);
  await child.withReservation({ tokens: 100 }, ({ use }) => use({ tokens: 60 }));
  await child.close();
  expect(await tenant.balance(`job:${parent.id}`)).toMatchObject({ spent: 60, reserved: 0 });
});

it("what took effect while its answer was lost is done once; two charges of the same are two", async () => {
  const tenant = await world.holdfast.tenant();
  const client = world.clientOf(tenant);
  const tries = new Map<string, number>();
  world.proxy.set((line) => {
    const nth = (tries.get(line) ?? 0) + 1;
    tries.set(line, nth);
    return nth <= 2 ? "lose" : "pass";
  });
  const { id: jobId } = await client.jobs.create();
  const { id } = await client.reservations.reserve(jobId, { amounts: { tokens: 100 } });
  for (const attempt of [1, 2])
    await client.reservations.charge(id, { child: 1, attempt, outcome: "failed", actual: { tokens: 10 } });
  expect(await tenant.balance()).toMatchObject({ reserved: 80, spent: 20 });
  expect((await tenant.call("GET", "/v1/jobs")).body["data"]).toHaveLength(1);
  await client.reservations.release(id);
  await tenant.expectAtRest();
});
