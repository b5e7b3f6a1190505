import pg from "pg";
import { newId, type Ledger } from "#libs/ledger";
import { QUEUE_SCHEMA } from "#libs/reconcile";
import { Denials } from "../../apps/reconciler/webhooks/denials.js";
import { Drift } from "../../apps/reconciler/webhooks/drift.js";
import { Thresholds } from "../../apps/reconciler/webhooks/thresholds.js";
import { Receiver } from "../support/receiver.js";
import { freshDatabase, type FreshDatabase } from "../support/services.js";
import {
  countOf,
  end,
  givenJob,
  givenTenant,
  openLedger,
  reserveTen,
  settingsFor,
  startInstance,
  until,
  type Instance,
} from "./reconciler-fixtures.js";

const ALL = ["allowance.threshold", "allowance.denied", "audit.drift"];

let database: FreshDatabase;
let record: pg.Pool;
let ledger: Ledger;
let receiver: Receiver;
let instances: Instance[];

beforeEach(async () => {
  database = await freshDatabase();
  record = new pg.Pool({ connectionString: database.url, max: 8 });
  record.on("error", () => undefined);
  ledger = openLedger(settingsFor(database.url));
  receiver = await Receiver.start();
  instances = [];
});

afterEach(async () => {
  await Promise.all(instances.map((instance) => end(instance, "SIGKILL")));
  await receiver.stop();
  await ledger.close();
  await record.end();
  await database.drop();
});

async function instance(env: Readonly<Record<string, string>>): Promise<Instance> {
  const near = { HOLDFAST_WEBHOOK_ADDRESSES: "any", HOLDFAST_WEBHOOK_HTTP: "allowed" };
  const started = await startInstance(database.url, { ...near, HOLDFAST_WEBHOOK_INTERVAL_MS: "200", ...env });
  instances.push(started);
  return started;
}

async function givenHook(tenantId: string): Promise<void> {
  await record.query(
    `INSERT INTO webhooks (tenant_id, name, url, events, enabled, secret, created_at, updated_at)
     VALUES ($1, 'a', $2, $3, true, 'whsec_a', holdfast_now(), holdfast_now())`,
    [tenantId, receiver.url, ALL],
  );
}

async function givenDelivery(tenantId: string): Promise<string> {
  const id = newId("dlv");
  await record.query(
    `INSERT INTO webhook_deliveries (tenant_id, id, webhook, event_id, type, body, state, look_at, created_at)
     VALUES ($1, $2, 'a', $3, 'webhook.ping', '{"id":"evt"}', 'pending', holdfast_now(), holdfast_now())`,
    [tenantId, id, newId("evt")],
  );
  return id;
}

/** Of 20 tokens 10 are spent. */
async function givenHalfSpent(): Promise<string> {
  const tenantId = await givenTenant(record, { limit: 20 });
  await givenHook(tenantId);
  const reservationId = await reserveTen(ledger, tenantId, await givenJob(ledger, tenantId));
  await ledger.execute({ type: "settle", tenantId, reservationId, actual: { tokens: 10 } });
  return tenantId;
}

const isDelivered = (id: string) => async () =>
  (await countOf(record, "webhook_deliveries WHERE id = $1 AND state = 'delivered'", [id])) === 1;

it("sends again, under the same ids, what a process was sending when it was killed, and what the queue has lost", async () => {
  const tenantId = await givenTenant(record);
  await givenHook(tenantId);
  receiver.answers = ["never", 200];
  const patient = { HOLDFAST_WEBHOOK_RETRY_MS: "60000" };
  const killed = await instance({ ...patient, HOLDFAST_WEBHOOK_TIMEOUT_MS: "60000" });
  const first = await givenDelivery(tenantId);
  await until("it is being sent", () => receiver.received.length === 1);
  await end(killed, "SIGKILL");
  await instance(patient);
  await until("it is sent again", isDelivered(first), 20_000);
  const ids = receiver.received.map(({ headers }) => [headers["holdfast-delivery-id"], headers["holdfast-event-id"]]);
  expect(ids).toEqual([ids[0], ids[0]]);
  expect(ids[0]![0]).toBe(first);

  receiver.answers = [500, 200];
  const second = await givenDelivery(tenantId);
  await until("the attempt failed", async () => (await countOf(record, "webhook_deliveries WHERE attempts = 1 AND state = 'pending'")) === 1); // prettier-ignore
  const jobs = `${QUEUE_SCHEMA}.job WHERE name = 'deliver'`;
  await until("it waits in the queue", async () => (await countOf(record, `${jobs} AND state = 'delayed'`)) === 1);
  await record.query(`DELETE FROM ${jobs}`);
  await record.query("UPDATE webhook_deliveries SET look_at = holdfast_now() WHERE state = 'pending'");
  await until("it is found again", isDelivered(second));
  await until("no job is left behind", async () => (await countOf(record, jobs)) === 0);
}, 60_000);

it("makes one event of each fact, and delivers it, with two reconcilers at work", async () => {
  const env = { HOLDFAST_SWEEP_INTERVAL_MS: "1000" };
  await Promise.all([instance(env), instance(env)]);
  const tenants = await Promise.all(Array.from({ length: 20 }, givenHalfSpent));
  await until("all are told", () => receiver.received.length >= tenants.length);
  await until("all are delivered", async () => (await countOf(record, "webhook_deliveries WHERE state <> 'delivered'")) === 0); // prettier-ignore
  const { size } = new Set(receiver.received.map(({ event }) => event.id));
  expect([size, await countOf(record, "webhook_deliveries")]).toEqual([tenants.length, tenants.length]);
  expect(new Set(receiver.received.map(({ event }) => event.tenantId))).toEqual(new Set(tenants));
});

it("makes one event of each fact although four look at the very same time", async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, givenHalfSpent));
  const findings = tenants.map((tenantId) => ({ tenantId, key: "k", check: "spent", expected: 1, found: 2 }));
  // The newest audit has the tenth number: as text that would come before the ninth.
  await record.query(
    `INSERT INTO reconcile_runs (id, task, trigger, started_at, finished_at, outcome, handled, failed)
     SELECT 'run_' || n, 'audit', 'schedule', holdfast_now(), holdfast_now(), 'ok', 0, 0 FROM generate_series(1, 9) AS n`,
  );
  await record.query(
    `INSERT INTO reconcile_runs (id, task, trigger, started_at, finished_at, outcome, handled, failed, detail)
     VALUES ('run_a', 'audit', 'manual', holdfast_now(), holdfast_now(), 'partial', 1, 1, $1)`,
    [JSON.stringify({ findings })],
  );
  await record.query(
    `INSERT INTO webhook_denials (tenant_id, kind, scope_id, unit, count, first_at, last_at, last)
     SELECT id, 'job', n::text, 'tokens', n, holdfast_now() - interval '1 hour', holdfast_now(),
       json_build_object('scope', json_build_object('kind', 'job', 'id', n::text))
     FROM tenants, generate_series(1, 60) AS n`,
  );
  const signal = new AbortController().signal;
  const looks = () => [new Thresholds(record), new Denials(record, 1_000), new Drift(record)];
  const added = await Promise.all(Array.from({ length: 4 }, looks).flat().map((look) => look.run(signal))); // prettier-ignore
  const told = tenants.length * (1 + 1 + 51);
  expect(added.reduce((sum, each) => sum + each, 0)).toBe(told);
  expect(await countOf(record, "webhook_deliveries")).toBe(told);
  const { rows } = await record.query<{ data: object }>(
    `SELECT body::json -> 'data' AS data FROM webhook_deliveries
     WHERE tenant_id = $1 AND type = 'allowance.denied' AND body::json #>> '{data,scope,id}' IS NULL`,
    [tenants[0]],
  );
  expect(rows).toMatchObject([{ data: { scope: { kind: "job", id: null }, count: 55 } }]);
});
