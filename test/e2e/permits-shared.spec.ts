import { setTimeout as sleep } from "node:timers/promises";
import { fetch } from "undici";
import { newService, planned } from "../support/flow.js";
import { FlowReplicas } from "../support/flow-replicas.js";
import type { HttpTenant } from "../support/http.js";
import { eventually } from "../support/record.js";

let both: FlowReplicas;

beforeAll(async () => {
  both = await FlowReplicas.start();
}, 60_000);
afterAll(() => both?.stop());

const reservationOf = (tenant: HttpTenant, children = 500): Promise<string> =>
  tenant.openReservation(planned(children, 2));
const children = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe("two processes", () => {
  it("never have more than 5 in flight together, whoever goes away, and then nothing is left", async () => {
    const tenant = await both.at(0).tenant();
    const [starter, id] = [both.starters(tenant), await reservationOf(tenant)];
    const service = await newService(both.at(0), { concurrency: 5, queue: { max: 200, maxWaitMs: 20_000 } });
    let [now, most, done] = [0, 0, 0];
    const impatient = async (child: number): Promise<void> => {
      const signal = AbortSignal.timeout(child % 60);
      const init = {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
      };
      const body = JSON.stringify({ child, service, waitMs: 20_000 });
      await fetch(`${both.at(child).url}/v1/reservations/${id}/permits`, { ...init, body, signal }).then(
        async (answer) => {
          const { id: permit } = (await answer.json()) as { id: string };
          await starter(child).finish(permit, "cancelled");
        },
        () => undefined,
      );
    };
    const patient = async (child: number): Promise<void> => {
      const { status, body } = await starter(child).permit(id, { child, service, waitMs: 20_000 });
      expect(status).toBe(201);
      most = Math.max(most, ++now);
      await sleep(10);
      now -= 1;
      done += 1;
      expect((await starter(child + 1).finish(body.id)).status).toBe(200);
    };
    const all = Promise.all(children(120).map((child) => (child % 2 ? impatient(child) : patient(child))));
    let over = false;
    void all.finally(() => (over = true));
    while (!over) expect((await both.live(service))["inFlight"]).toBeLessThanOrEqual(5);
    await all;
    expect(done).toBe(60);
    expect(most).toBeLessThanOrEqual(5);
    await eventually(async () => (await both.live(service))["inFlight"] === 0);
    expect(await both.live(service)).toMatchObject({ inFlight: 0, waiting: {} });
    const again = await Promise.all(children(6).map((n) => starter(n).permit(id, { child: 200 + n, service })));
    expect(again.filter(({ status }) => status === 201)).toHaveLength(5);
  });

  it("grant no more than burst + rate × T together", async () => {
    const tenant = await both.at(0).tenant({ allowances: { tokens: { limit: 10_000 } } });
    const [starter, id] = [both.starters(tenant), await reservationOf(tenant, 5_000)];
    const service = await newService(both.at(0), { ratePerSecond: 20, burst: 5 });
    const begun = performance.now();
    let [child, granted] = [0, 0];
    const caller = async (_: unknown, i: number): Promise<void> => {
      while (performance.now() - begun < 1_500) {
        const { status } = await starter(i).permit(id, { child: ++child, service });
        if (status === 201) granted += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, caller));
    const seconds = (performance.now() - begun) / 1_000;
    expect(granted).toBeLessThanOrEqual(5 + 20 * seconds);
    expect(granted).toBeGreaterThanOrEqual(5 + 20 * 1.5 * 0.8);
  });

  it("share a breaker, which lets exactly its probes through", async () => {
    const tenant = await both.at(0).tenant();
    const [starter, id] = [both.starters(tenant), await reservationOf(tenant)];
    const breaker = { failures: 3, windowMs: 60_000, resetMs: 700, probes: 2 };
    const service = await newService(both.at(0), { breaker });
    for (const child of children(3)) {
      const { body } = await starter(0).permit(id, { child, service });
      await starter(0).finish(body.id, "failed");
    }
    const refused = await starter(1).permit(id, { child: 4, service });
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "breaker_open", "1"]);
    await sleep(1_000);
    const answers = await Promise.all(children(30).map((n) => starter(n).permit(id, { child: 10 + n, service })));
    const probes = answers.filter(({ status }) => status === 201);
    expect(probes).toHaveLength(2);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(["201 undefined", "503 breaker_open"]),
    );
    await Promise.all(probes.map(({ body }, i) => starter(i).finish(body.id)));
    expect(await both.live(service)).toMatchObject({ breaker: "closed" });
  });

  it("keep one bounded queue, in which tenants take turns", async () => {
    const [greedy, modest] = [await both.at(0).tenant(), await both.at(0).tenant()];
    const service = await newService(both.at(0), { concurrency: 2, queue: { max: 40, maxWaitMs: 20_000 } });
    await greedy.admin("PUT", `/services/${service}`, { queue: { max: 20, maxWaitMs: 20_000 } });
    const order: string[] = [];
    const callers = (tenant: HttpTenant, id: string, name: string, count: number) =>
      children(count).map(async (child) => {
        const { status, body, headers } = await both
          .starters(tenant)(child)
          .permit(id, { child, service, waitMs: 20_000 });
        if (status === 201) {
          order.push(name);
          await sleep(15);
          await both
            .starters(tenant)(child + 1)
            .finish(body.id);
        } else expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        return `${status} ${body.code}`;
      });
    const [first, second] = [await reservationOf(greedy, 150), await reservationOf(modest, 50)];
    const many = callers(greedy, first, "greedy", 150);
    const few = callers(modest, second, "modest", 50);
    let [over, most] = [false, 0];
    const all = Promise.all([...many, ...few]);
    void all.finally(() => (over = true));
    while (!over) {
      const waiting = Object.values((await both.live(service))["waiting"] as Record<string, number>);
      most = Math.max(
        most,
        waiting.reduce((sum, each) => sum + each, 0),
      );
    }
    const answers = await all;
    expect(new Set(answers)).toEqual(new Set(["201 undefined", "503 queue_full"]));
    expect(most).toBeLessThanOrEqual(40);
    expect(most).toBeGreaterThan(20);
    // All that waited were served, and while both waited they took turns.
    expect(order.length).toBeGreaterThanOrEqual(40);
    const turns = order.slice(4, 30).filter((name) => name === "modest").length;
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it("charge a permit once that both are told to finish at once", async () => {
    const tenant = await both.at(0).tenant();
    const [starter, id] = [both.starters(tenant), await reservationOf(tenant, 20)];
    for (const child of children(20)) {
      const { body } = await starter(child).permit(id, { child });
      const answers = await Promise.all([0, 1].map((i) => starter(i).finish(body.id, "succeeded", { tokens: 1 })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0]!.body).toEqual(answers[1]!.body);
    }
    expect(await tenant.balance()).toMatchObject({ spent: 20, reserved: 0 });
  });

  it("go on by themselves when Redis is lost in the middle, and money stays exact", async () => {
    const tenant = await both.at(0).tenant();
    const [starter, id] = [both.starters(tenant), await reservationOf(tenant, 200)];
    const service = await newService(both.at(0), { concurrency: 50 });
    const seen: number[] = [];
    const attempt = async (child: number): Promise<void> => {
      const { status, body } = await starter(child).permit(id, { child, service });
      expect(status).toBe(201);
      await sleep(child % 20);
      // What a process granted by itself has its place there.
      const finished = await starter(child).finish(body.id);
      seen.push(finished.status);
    };
    const running = (async () => {
      for (let from = 0; from < 200; from += 20) await Promise.all(children(20).map((child) => attempt(from + child)));
    })();
    await sleep(150);
    await both.redis.kill();
    await running;
    expect(new Set(seen)).toEqual(new Set([200]));
    expect(await tenant.balance()).toMatchObject({ spent: 200, reserved: 0 });
    const { body } = await both.at(0).admin("GET", "/v1/admin/flow");
    expect(body["shared"]).toBe(false);
    expect(body["fallbacks"]).toBeGreaterThan(0);
    await both.redis.restart();
    for (const i of [0, 1]) await eventually(async () => (await both.live(service, i))["shared"]);
  });

  it("503 shutting_down to whoever waits when the process stops, and no place is kept for it", async () => {
    const tenant = await both.at(0).tenant();
    const [starter, id] = [both.starters(tenant), await reservationOf(tenant)];
    const service = await newService(both.at(0), { concurrency: 1, queue: { max: 10, maxWaitMs: 60_000 } });
    const first = await starter(0).permit(id, { child: 1, service });
    const waiting = starter(1).permit(id, { child: 2, service, waitMs: 60_000 });
    await eventually(async () => Object.keys((await both.live(service))["waiting"] as object).length === 1);
    const stopping = both.end(1);
    const { status, body } = await waiting;
    expect(`${status} ${body.code}`).toBe("503 shutting_down");
    expect(await both.live(service)).toMatchObject({ waiting: {}, inFlight: 1 });
    expect((await starter(0).finish(first.body.id)).status).toBe(200);
    await stopping;
  });
});
