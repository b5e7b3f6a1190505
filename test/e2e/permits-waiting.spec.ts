import { newService, planned } from "../support/flow.js";
import { FlowReplicas } from "../support/flow-replicas.js";
import type { HttpTenant } from "../support/http.js";
import { eventually } from "../support/record.js";

let both: FlowReplicas;

beforeAll(async () => {
  both = await FlowReplicas.start();
}, 60_000);
afterAll(() => both?.stop());

const LONG_MS = 25_000;
const queue = { max: 20, maxWaitMs: LONG_MS };

/** A service whose only place is taken, and so many callers of a tenant that wait for it, at both processes in turn. */
async function waitingAt(settings: object, callers: number) {
  const tenant = await both.at(0).tenant({ jobAllowance: { tokens: 500 } });
  const service = await newService(both.at(0), { ...settings, queue });
  const holder = await both
    .starters(tenant)(0)
    .permit(await tenant.openReservation(planned(1, 1)), { service });
  expect(holder.status).toBe(201);
  const wait = async (reservations: (child: number) => string) => {
    const waiting = Array.from({ length: callers }, (_, i) =>
      both
        .starters(tenant)(i)
        .permit(reservations(i + 1), { child: i + 1, service, waitMs: LONG_MS }),
    );
    await eventually(async () => (await waitingNow(service))[tenant.id] === callers);
    return waiting;
  };
  return { tenant, service, wait };
}

const waitingNow = async (service: string) => (await both.live(service))["waiting"] as Record<string, number>;

const put = (service: string, settings: object, tenant?: HttpTenant) =>
  both.at(0).admin("PUT", `/v1/admin/${tenant ? `tenants/${tenant.id}/` : ""}services/${service}`, settings);

/** What all are told, and that they are told it long before their time is up. */
async function toldSoon(waiting: readonly Promise<{ status: number; body: { code?: string } }>[]) {
  const begun = performance.now();
  const answers = await Promise.all(waiting);
  expect(performance.now() - begun).toBeLessThan(8_000);
  return answers.map(({ status, body }) => (status === 201 ? status : body.code));
}

describe("callers who wait", () => {
  it("are let on where the limit that held them is raised, or is gone", async () => {
    for (const settings of [{ concurrency: 9, queue }, {}]) {
      const { tenant, service, wait } = await waitingAt({ concurrency: 1 }, 4);
      const id = await tenant.openReservation(planned(4, 1));
      const waiting = await wait(() => id);
      await put(service, settings);
      expect(await toldSoon(waiting)).toEqual([201, 201, 201, 201]);
      expect(await both.live(service)).toMatchObject({ inFlight: 5, waiting: {} });
    }
  });

  it("are let on where their tenant's own limit is raised", async () => {
    const tenant = await both.at(0).tenant();
    const service = await newService(both.at(0), { queue });
    await put(service, { concurrency: 1 }, tenant);
    const id = await tenant.openReservation(planned(3, 1));
    const starter = both.starters(tenant);
    await starter(0).permit(id, { child: 1, service });
    const waiting = [2, 3].map((child) => starter(child).permit(id, { child, service, waitMs: LONG_MS }));
    await eventually(async () => (await waitingNow(service))[tenant.id] === 2);
    await put(service, { concurrency: 3 }, tenant);
    expect(await toldSoon(waiting)).toEqual([201, 201]);
  });

  it("are refused where the service lets nothing through from now on", async () => {
    const { tenant, service, wait } = await waitingAt({ concurrency: 1 }, 3);
    const id = await tenant.openReservation(planned(3, 1));
    const waiting = await wait(() => id);
    await put(service, { concurrency: 0, queue });
    expect(await toldSoon(waiting)).toEqual(Array(3).fill("validation_failed"));
    expect(await waitingNow(service)).toEqual({});
  });

  it("are told that their work has ended while the service stays full, and their places in the queue are free", async () => {
    const { tenant, service, wait } = await waitingAt({ concurrency: 1 }, 4);
    const parent = await tenant.job();
    const child = (await tenant.child(parent, 100)).body.id;
    const [inChild, inParent, released, live] = await Promise.all([
      tenant.openReservation({ ...planned(4, 1), jobId: child }),
      tenant.openReservation({ ...planned(4, 1), jobId: parent }),
      tenant.openReservation(planned(4, 1)),
      tenant.openReservation(planned(4, 1)),
    ]);
    const waiting = await wait((n) => [live, inChild, inParent, released][n - 1]!);
    await tenant.call("POST", `/v1/jobs/${parent}/cancel`);
    await tenant.release(released);
    expect(await toldSoon(waiting.slice(1))).toEqual(["job_not_open", "job_not_open", "already_released"]);
    expect(await waitingNow(service)).toEqual({ [tenant.id]: 1 });
    await both.at(0).admin("POST", `/v1/admin/tenants/${tenant.id}/suspend`);
    expect(await toldSoon(waiting.slice(0, 1))).toEqual(["tenant_suspended"]);
    expect(await both.live(service)).toMatchObject({ inFlight: 1, waiting: {} });
  });
});
