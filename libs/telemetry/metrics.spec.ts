import type { Command, Denial, LedgerEntry, Outcome } from "#libs/ledger";
import { Metrics } from "./metrics.js";

const opened: Metrics[] = [];

/** Nothing listens at that address: what the record says is looked at in test/e2e. */
function metrics(metricsTenants: "off" | "on" = "off"): Metrics {
  const made = new Metrics({ databaseUrl: "postgresql://127.0.0.1:1/none", metricsTenants });
  opened.push(made);
  return made;
}
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

const release: Command = { type: "release", tenantId: "ten_1", reservationId: "rsv_1" };
const moved = (unit: string, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ type: "reserve", at: 0, unit, reserved: 5, spent: 0, keys: [] },
  ...{ reservationId: null, jobId: null, user: null, detail: null },
  ...change,
});

it.each([
  ["off", ""],
  ["on", ',tenant="ten_1"'],
] as const)("with tenants %s, figures are of all tenants together or of each", async (switched, label) => {
  const { ledger, flow } = metrics(switched);
  ledger.decided(release, { type: "done", answer: {}, replayed: false });
  ledger.moved("ten_1", [moved("tokens")]);
  flow.granted({ tenantId: "ten_1", service: "api" });
  const text = await opened[0]!.show();
  expect(text).toContain(`holdfast_decisions_total{operation="release",outcome="done",scope="none"${label}} 1\n`);
  expect(text).toContain(`holdfast_amount_reserved_total{unit="tokens"${label}} 5\n`);
  expect(text).toContain(`holdfast_permits_total{service="api",result="granted"${label}} 1\n`);
});

it("has no more units and services than it may, however many are made", async () => {
  const { ledger, flow } = metrics();
  for (let i = 0; i < 300; i += 1) {
    ledger.moved("ten_1", [moved(`unit_${i}`)]);
    flow.granted({ tenantId: "ten_1", service: `service-${i}` });
  }
  const text = await opened[0]!.show();
  expect(text.match(/holdfast_amount_reserved_total\{/g)).toHaveLength(51);
  expect(text).toContain(`holdfast_amount_reserved_total{unit="other"} ${250 * 5}\n`);
  expect(text.match(/holdfast_permits_total\{/g)).toHaveLength(101);
});

it("counts what a tenant took and spent, and not what moved between its jobs or its limits", async () => {
  const { ledger } = metrics();
  ledger.moved("ten_1", [
    moved("tokens", { type: "grant", reserved: 100 }),
    moved("tokens", { type: "return", reserved: -60, spent: 40 }),
    moved("tokens", { type: "limit", reserved: 0 }),
    moved("tokens", { reserved: 30 }),
    moved("tokens", { type: "settle", reserved: -30, spent: 20 }),
  ]);
  const text = await opened[0]!.show();
  expect(text).toContain('holdfast_amount_reserved_total{unit="tokens"} 30\n');
  expect(text).toContain('holdfast_amount_returned_total{unit="tokens"} 30\n');
  expect(text).toContain('holdfast_amount_spent_total{unit="tokens"} 20\n');
});

it("counts a dry run as one, and not what it asked for", async () => {
  const { ledger } = metrics();
  const scope = { kind: "tenant", id: "ten_1" } as const;
  const figures = { unit: "tokens", limit: 1, spent: 0, reserved: 0, available: 1, requested: 7 };
  const denial: Denial = { code: "exceeds_limit", scope, ...figures };
  const refused: Outcome = { type: "refused", refusal: { code: denial.code, detail: "", denial } };
  const ask = { amounts: { tokens: 7 } };
  const reserve = {
    type: "reserve",
    tenantId: "ten_1",
    reservationId: "rsv_1",
    jobId: "job_1",
    service: null,
  } as const;
  for (const dryRun of [true, false])
    ledger.decided({ ...reserve, ask, admit: "all", ttlMs: 1, dryRun, key: null }, refused);
  const text = await opened[0]!.show();
  expect(text).toContain('holdfast_decisions_total{operation="dryRun",outcome="exceeds_limit",scope="tenant"} 1\n');
  expect(text).toContain('holdfast_amount_denied_total{unit="tokens"} 7\n');
});

it("says that the record is away, and nothing that it would have to know from it", async () => {
  const text = await metrics().show();
  expect(text).toContain("\nholdfast_record_up 0\n");
  expect(text).not.toMatch(/^holdfast_(sweep|audit|reservations)/m);
});

it("shows all other figures where one cannot be looked up", async () => {
  const failing = metrics();
  failing.lookUp(() => Promise.reject(new Error("away")));
  failing.lookUp(() => {
    throw new Error("a fault");
  });
  failing.lookUp(() => failing.instruments.pending.set(3));
  expect(await failing.show()).toContain("\nholdfast_commands_pending 3\n");
});
