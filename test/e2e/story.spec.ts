import { setTimeout as sleep } from "node:timers/promises";
import { fetch } from "undici";
import { newService, planned, type Starter } from "../support/flow.js";
import { FlowReplicas } from "../support/flow-replicas.js";
import type { HttpTenant } from "../support/http.js";
import { StubService } from "../support/stub-service.js";

const PER_SECOND = 10;
const CALLS = 4;
const [GREEDY, MODEST] = [34, 6];
const BROKEN_MS = 3_000;
const BREAKER = { failures: 3, windowMs: 10_000, resetMs: 1_000, probes: 1 };
/** What a call uses, by how it went. */
const [USED, WASTED] = [7, 2];
/** How long a modest account thinks between two calls: alone it does not use the whole rate. */
const THINK_MS = 600;

let both: FlowReplicas;
let stub: StubService;

beforeAll(async () => {
  [both, stub] = await Promise.all([FlowReplicas.start(), StubService.start(PER_SECOND)]);
}, 60_000);
afterAll(async () => {
  await both?.stop();
  await stub?.stop();
});

/** One call of the service, with as many attempts as the plan has for it. */
async function callOnce(starter: Starter, reservationId: string, child: number, service: string): Promise<void> {
  for (;;) {
    const permit = await starter.permit(reservationId, { child, service, waitMs: 30_000 });
    if (permit.status !== 201) {
      if (permit.status !== 429 && permit.status !== 503) throw new Error(JSON.stringify(permit.body));
      await sleep(Number(permit.headers.get("retry-after")) * 1_000);
      continue;
    }
    const { status } = await fetch(stub.url);
    const ended = status === 200 ? ["succeeded", USED] : ["overloaded", WASTED];
    const finished = await starter.finish(permit.body.id, ended[0] as string, { tokens: ended[1] });
    if (finished.status !== 200) throw new Error(JSON.stringify(finished.body));
    if (status === 200) return;
  }
}

interface Work {
  readonly accounts: number;
  /** How many of them work at once. */
  readonly lanes: number;
  readonly thinkMs: number;
}

/** How long the tenant takes for all calls of its accounts, milliseconds. */
async function run(tenant: HttpTenant, service: string, { accounts, lanes, thinkMs }: Work): Promise<number> {
  const begun = performance.now();
  const id = await tenant.openReservation(planned(accounts * CALLS, 3, USED));
  const starter = both.starters(tenant);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let account = next++; account < accounts; account = next++) {
      for (let call = 1; call <= CALLS; call += 1) {
        await callOnce(starter(account), id, account * CALLS + call, service);
        await sleep(thinkMs);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - begun;
}

it(`${GREEDY + MODEST} accounts × ${CALLS} calls of a service of ${PER_SECOND} a second that breaks in the middle`, async () => {
  const queue = { max: 200, maxWaitMs: 30_000 };
  const service = await newService(both.at(0), { ratePerSecond: PER_SECOND, burst: 1, queue, breaker: BREAKER });
  const limits = { allowances: { tokens: { limit: 100_000 } } };
  const [alone, greedy, modest] = [
    await both.at(0).tenant(limits),
    await both.at(0).tenant(limits),
    await both.at(0).tenant(limits),
  ];
  const few = { accounts: MODEST, lanes: 2, thinkMs: THINK_MS };
  const aloneMs = await run(alone, service, few);
  await sleep(1_000);
  const [before, begun] = [stub.calls.length, performance.now()];
  const work = Promise.all([
    run(greedy, service, { accounts: GREEDY, lanes: GREEDY, thinkMs: 0 }),
    run(modest, service, few),
  ]);
  await sleep(11_000);
  stub.break(true);
  await sleep(BROKEN_MS);
  stub.break(false);
  const [, modestMs] = await work;
  const wholeMs = performance.now() - begun;

  const calls = (GREEDY + MODEST) * CALLS;
  const failed = stub.countOf(503);
  const idealMs = (calls / PER_SECOND) * 1_000 + BROKEN_MS;
  const together = stub.calls.length - before;
  console.log(
    `${together} calls in ${Math.round(wholeMs)} ms (ideal ${idealMs}), at most ${stub.busiestSecond()} in a second, ` +
      `429s ${stub.countOf(429)}, while broken ${failed}; modest ${Math.round(modestMs)} ms, alone ${Math.round(aloneMs)} ms`,
  );
  expect(stub.busiestSecond()).toBeLessThanOrEqual(PER_SECOND + 1);
  expect(stub.countOf(429)).toBe(0);
  // What opened it, and its probes.
  expect(failed).toBeGreaterThanOrEqual(BREAKER.failures);
  expect(failed).toBeLessThanOrEqual(BREAKER.failures + BREAKER.probes * (BROKEN_MS / BREAKER.resetMs + 1));
  expect(together).toBe(calls + failed);
  const spent = (await greedy.balance()).spent + (await modest.balance()).spent;
  expect(spent).toBe(calls * USED + failed * WASTED);
  expect(modestMs).toBeLessThan(1.5 * aloneMs);
  expect(wholeMs).toBeLessThan(1.3 * idealMs);
}, 60_000);
