import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { freePort, migrate, startPostgres, stopProcess } from "#libs/embedded";
import { freshFolder } from "../support/services.js";
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
} from "./reconciler-fixtures.js";

const migrations = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

it("survives a lost PostgreSQL, says so in few lines, and sweeps again by itself when it is back", async () => {
  const options = { dataDir: freshFolder(), port: await freePort(), settings: { fsync: "off" } };
  let postgres = await startPostgres(options);
  await migrate(postgres.url, migrations);
  const record = new pg.Pool({ connectionString: postgres.url, max: 2, connectionTimeoutMillis: 1_000 });
  record.on("error", () => undefined);
  const ledger = openLedger(settingsFor(postgres.url));
  const instance = await startInstance(postgres.url, { HOLDFAST_SWEEP_INTERVAL_MS: "500" });
  const sweeps = () => countOf(record, "reconcile_runs WHERE task = 'expire' AND outcome = 'ok'");
  try {
    for (let outage = 0; outage < 3; outage += 1) {
      const before = await sweeps();
      await until("it sweeps", async () => (await sweeps()) > before + 2);
      const tenantId = await givenTenant(record);
      await reserveTen(ledger, tenantId, await givenJob(ledger, tenantId));
      await record.query("UPDATE reservations SET expires_at = holdfast_now() + interval '1 second'");
      // The fast way, in order; the server's own crash; a stop in between.
      await stopProcess(postgres.pid, [(["SIGINT", "SIGKILL", "SIGQUIT"] as const)[outage]!, "SIGKILL"]);
      await postgres.stop();
      await sleep(3_000);
      postgres = await startPostgres(options);
      await until(
        "the hold is returned",
        async () => (await countOf(record, "reservations WHERE state = 'open'")) === 0,
      );
      await until("the queue works again", async () => {
        const { rows } = await record.query<{ trigger: string }>(
          "SELECT trigger FROM reconcile_runs ORDER BY seq DESC LIMIT 3",
        );
        return rows.every(({ trigger }) => trigger === "schedule");
      });
    }
    expect(instance.child.exitCode).toBeNull();
    expect(instance.output.length).toBeLessThan(20);
    await until(
      "no connection is left over",
      async () => (await countOf(record, "pg_stat_activity WHERE datname = current_database()")) < 20,
    );
  } finally {
    await end(instance);
    await ledger.close();
    await record.end();
    await postgres.stop();
  }
  expect(instance.child.exitCode).toBe(0);
}, 60_000);
