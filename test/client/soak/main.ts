/** npm run soak:client: a soak against a service of its own; exit code 1 where anything was found. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startProcess } from "../../support/program.js";
import { soak } from "./soak.js";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "100000" },
    "per-process": { type: "string", default: "2500" },
    lanes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const options = {
  items: Number(values.items),
  itemsPerProcess: Number(values["per-process"]),
  lanes: Number(values.lanes),
  ttlMs: 30_000,
  seed: Number(values.seed),
};
const folder = mkdtempSync(join(tmpdir(), "holdfast-soak-data-"));
// An account of its own runs PostgreSQL where root starts it.
chmodSync(folder, 0o755);
const service = await startProcess({ HOLDFAST_DATA_DIR: join(folder, "data"), HOLDFAST_RETRY_RATIO: "off" });
const limit = options.items * 1_000;
const { body: tenant } = await service.call(service.adminKey, "POST", "/v1/admin/tenants", {
  name: "soak",
  allowances: { tokens: { limit } },
});
const { body } = await service.call(service.adminKey, "POST", `/v1/admin/tenants/${tenant["id"]}/keys`, {
  name: "soak",
});
const begun = performance.now();
try {
  console.log(`soak of ${options.items} items, seed ${options.seed}`);
  const { findings, ...figures } = await soak({ url: service.url, key: body["key"] as string }, options);
  console.log({ seconds: Math.round((performance.now() - begun) / 1_000), ...figures, findings: findings.length });
  for (const finding of findings.slice(0, 20)) console.log(`  ${finding}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
  await service.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
