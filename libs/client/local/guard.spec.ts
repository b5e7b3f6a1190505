import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { FakeClock, settled } from "../../../test/support/fake-clock.js";
import { BoundedQueue, Guard, Semaphore, Shed, TokenBucket, type Permit } from "./index.js";

/** What became of a call, as far as it is known by now. */
class Call {
  state = "waiting";
  permit: Permit | undefined;
  private readonly leaving = new AbortController();

  constructor(guard: Guard, options: object = {}) {
    guard.acquire({ ...options, signal: this.leaving.signal }).then(
      (permit) => {
        this.state = "granted";
        this.permit = permit;
      },
      (error: unknown) => (this.state = error instanceof Shed ? error.code : (error as Error).message),
    );
  }

  abort(): void {
    this.leaving.abort(new Error("gone"));
  }
}

/** The same as a plain list: one line, places, and a bound on those who wait. */
class Model {
  private readonly states: string[] = [];
  private readonly since: number[] = [];

  constructor(
    private readonly places: number,
    private readonly max: number,
    private readonly maxWaitMs: number,
  ) {}

  come(now: number): void {
    const waiting = this.count("waiting");
    const free = this.count("granted") < this.places && waiting === 0;
    this.states.push(free ? "granted" : waiting < this.max ? "waiting" : "queue_full");
    this.since.push(now);
  }

  end(call: number): void {
    if (this.states[call] === "granted") this.states[call] = "ended";
    else if (this.states[call] === "waiting") this.states[call] = "gone";
    this.serve();
  }

  pass(now: number): void {
    this.states.forEach((state, i) => {
      if (state !== "waiting" || this.since[i]! + this.maxWaitMs > now) return;
      // The one before it may have left at the very same time: whoever is first now is told of the places.
      this.states[i] = "late";
    });
  }

  get all(): string[] {
    return this.states;
  }

  private serve(): void {
    while (this.count("granted") < this.places && this.count("waiting") > 0) {
      this.states[this.states.indexOf("waiting")] = "granted";
    }
  }

  private count(state: string): number {
    return this.states.filter((one) => one === state).length;
  }
}

const step = fc.oneof(
  fc.constant({ do: "come" as const, n: 0 }),
  fc.nat(20).map((n) => ({ do: "end" as const, n })),
  fc.integer({ min: 1, max: 700 }).map((n) => ({ do: "pass" as const, n })),
);

const steps = fc.array(step, { minLength: 10, maxLength: 60, size: "max" });

describe("guard", () => {
  it("lets in, queues and refuses as a plain list would, and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.nat(3), steps, async (places, max, steps) => {
        const clock = new FakeClock();
        const guard = new Guard({ concurrency: places, queue: { max, maxWaitMs: 1_000 } }, clock);
        const model = new Model(places, max, 1_000);
        const calls: Call[] = [];
        const end = (call: Call): void => (call.permit ? void call.permit.finish() : call.abort());
        for (const { do: what, n } of steps) {
          if (what === "come") {
            calls.push(new Call(guard));
            model.come(clock.now());
          } else if (what === "pass") {
            await clock.advance(n);
            model.pass(clock.now());
          } else if (calls.length > 0) {
            end(calls[n % calls.length]!);
            model.end(n % calls.length);
          }
          await settled();
          const late = ["queue_full", "concurrency_limited"];
          calls.forEach(({ state }, i) => {
            const expected = model.all[i]!;
            if (expected === "late") expect(late).toContain(state);
            else expect(state).toBe(expected === "ended" ? "granted" : expected);
          });
          expect(guard.inFlight).toBe(model.all.filter((one) => one === "granted").length);
          expect(guard.waiting).toBe(model.all.filter((one) => one === "waiting").length);
        }
        for (const call of calls) end(call);
        await settled();
        for (const call of calls) call.permit?.finish();
        expect([guard.inFlight, guard.waiting, clock.pending]).toEqual([0, 0, 0]);
      }),
      { numRuns: 50 },
    );
  });

  it("takes tokens exactly as they come in, and none for what it refuses", async () => {
    const take = fc.record({ passMs: fc.nat(3_000), tokens: fc.nat(12) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.array(take), async (perSecond, takes) => {
        const clock = new FakeClock();
        const bucket = new TokenBucket({ ratePerSecond: perSecond, burst: 10 }, undefined, clock);
        let thousandths = 10_000;
        for (const { passMs, tokens } of takes) {
          await clock.advance(passMs);
          thousandths = Math.min(10_000, thousandths + passMs * perSecond);
          const outcome = await bucket.take(tokens).then(
            () => null,
            (error: unknown) => error as Shed,
          );
          if (tokens > 10) expect(outcome).toMatchObject({ code: "cost_exceeds_burst", retryAfterMs: null });
          else if (tokens * 1_000 > thousandths) {
            const waitMs = Math.ceil((tokens * 1_000 - thousandths) / perSecond);
            expect(outcome).toMatchObject({ code: "rate_limited", retryAfterMs: waitMs });
          } else {
            expect(outcome).toBeNull();
            thousandths -= tokens * 1_000;
          }
          expect(bucket.tokens).toBe(Math.floor(thousandths / 1_000));
        }
      }),
    );
  });

  it("lets those who wait through as fast as the rate allows and no faster", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 1 }, { max: 100, maxWaitMs: 60_000 }, clock);
    const at: number[] = [];
    for (let i = 0; i < 50; i++) void bucket.take().then(() => at.push(clock.now()));
    await clock.advance(10_000);
    expect(at).toEqual(Array.from({ length: 50 }, (_, i) => i * 100));
    expect([bucket.waiting, clock.pending]).toEqual([0, 0]);
  });

  it("serves the next at once when a big caller that held the line leaves", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 10 }, { max: 5, maxWaitMs: 60_000 }, clock);
    await bucket.take(10);
    const leaving = new AbortController();
    const big = bucket.take(10, { signal: leaving.signal });
    let served: number | undefined;
    void bucket.take(1).then(() => (served = clock.now()));
    await clock.advance(200);
    leaving.abort(new Error("gone"));
    await expect(big).rejects.toThrow("gone");
    await settled();
    expect([served, bucket.waiting, clock.pending]).toEqual([200, 0, 0]);
  });

  it("gives lines their turns, so that a long one starves no short one", async () => {
    const queue = new BoundedQueue({ concurrency: 1, max: 1_000, maxWaitMs: 60_000 }, new FakeClock());
    const order: string[] = [];
    const work = (line: string) => queue.run(async () => void order.push(line), { line });
    const all = [...Array.from({ length: 500 }, () => work("long")), work("short")];
    await Promise.all(all);
    expect(order.indexOf("short")).toBeLessThanOrEqual(2);
    expect(order).toHaveLength(501);
  });

  it("never holds more than its bound, also when all come at once", async () => {
    const queue = new BoundedQueue({ concurrency: 2, max: 10, maxWaitMs: 60_000 });
    let [busy, most] = [0, 0];
    const work = () =>
      queue.run(async () => {
        most = Math.max(most, ++busy);
        await settled();
        busy--;
      });
    const results = await Promise.allSettled(Array.from({ length: 200 }, work));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(12);
    expect(most).toBe(2);
    expect([queue.inFlight, queue.waiting]).toEqual([0, 0]);
  });

  it.each([
    [{ rate: { ratePerSecond: 0, burst: 5 } }, "rate_limited"],
    [{ concurrency: 0 }, "concurrency_limited"],
  ])("lets nobody through where a limit is 0, and says that waiting does not help: %j", async (limits, code) => {
    const guard = new Guard({ ...limits, queue: { max: 5, maxWaitMs: 1_000 } });
    await expect(guard.acquire()).rejects.toMatchObject({ code, retryAfterMs: null });
  });

  it("lets nobody wait where the queue is 0 long", async () => {
    const guard = new Guard({ concurrency: 1, queue: { max: 0, maxWaitMs: 1_000 } });
    await guard.acquire();
    await expect(guard.acquire()).rejects.toMatchObject({ code: "queue_full", retryAfterMs: 1_000 });
  });

  it.each([NaN, -1, "5", null])("takes no limit of %p", (wrong) => {
    expect(() => new Guard({ concurrency: wrong as number })).toThrow("concurrency must be a number ≥ 0");
    expect(() => new Guard({ rate: { ratePerSecond: wrong as number, burst: 1 } })).toThrow("ratePerSecond");
  });

  it("frees a place once, whatever is thrown and however often it is finished", async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const release = await semaphore.acquire();
    release();
    release();
    const next = await semaphore.acquire();
    release();
    expect(semaphore.inFlight).toBe(1);
    next();
    expect(semaphore.inFlight).toBe(0);
  });

  it("starts nothing for a caller that has gone, before its turn or in the moment of it", async () => {
    const semaphore = new Semaphore(1);
    const gone = AbortSignal.abort(new Error("gone"));
    let started = 0;
    const work = () => void started++;
    await expect(semaphore.run(work, { signal: gone })).rejects.toThrow("gone");
    const release = await semaphore.acquire();
    const leaving = new AbortController();
    const call = semaphore.run(work, { signal: leaving.signal });
    release();
    leaving.abort(new Error("gone"));
    await expect(call).rejects.toThrow("gone");
    expect([started, semaphore.inFlight, semaphore.waiting]).toEqual([0, 0, 0]);
  });

  it("has one listener at a signal, however many wait for it", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => void (listeners++, add(...given));
    const semaphore = new Semaphore(1);
    await Promise.all(Array.from({ length: 20 }, () => semaphore.run(() => sleep(1), { signal })));
    expect(listeners).toBe(1);
  });
});
