import { createHash } from "node:crypto";
import type pg from "pg";
import type { AuditDetail, Finding } from "../tasks/audit.js";
import { isWanted, NO_TENANT, tellOnce, toldOf, type Look } from "./looks.js";
import { addEvent, inTransaction } from "./outbox.js";

const AUDIT = "audit";
const DRIFT = "drift";
/** Findings of one tenant that an event names; beyond it they are counted. */
const NAMED = 20;

/** By the number: the text of it, under the same name, would put 8 behind 61. */
const NEWEST = `
  SELECT id, seq::text AS seq, outcome, detail FROM reconcile_runs
  WHERE task = 'audit' AND finished_at IS NOT NULL ORDER BY reconcile_runs.seq DESC LIMIT 1`;

interface AuditRun {
  readonly id: string;
  readonly seq: string;
  readonly outcome: string;
  readonly detail: AuditDetail | null;
}

/** Tells what the newest audit found, of each tenant, once: the same differences, found again, are told already. */
export class Drift implements Look {
  readonly type = "audit.drift";

  constructor(private readonly pool: pg.Pool) {}

  async run(): Promise<number> {
    if (!(await isWanted(this.pool, this.type))) return 0;
    const { rows } = await this.pool.query<AuditRun>(NEWEST);
    const run = rows[0];
    if (!run || (await toldOf(this.pool, NO_TENANT, AUDIT)) === run.seq) return 0;
    return inTransaction(this.pool, async (client) => {
      if (!(await tellOnce(client, NO_TENANT, AUDIT, run.seq))) return 0;
      // Nothing differs any more: what differs next is new, though it be the same.
      if (run.outcome === "ok") await client.query("DELETE FROM webhook_told WHERE subject = $1", [DRIFT]);
      return this.tell(client, run);
    });
  }

  private async tell(client: pg.ClientBase, { id: runId, detail }: AuditRun): Promise<number> {
    let added = 0;
    for (const [tenantId, findings] of byTenant(detail?.findings ?? [])) {
      if (!(await tellOnce(client, tenantId, DRIFT, digestOf(findings)))) continue;
      const data = { runId, differences: findings.length, findings: findings.slice(0, NAMED) };
      const hooks = await addEvent(client, { type: this.type, tenantId, data });
      added += Math.sign(hooks);
      // Nobody heard: a webhook that comes later is told by the next audit.
      if (hooks === 0)
        await client.query("DELETE FROM webhook_told WHERE tenant_id = $1 AND subject = $2", [tenantId, DRIFT]);
    }
    return added;
  }
}

function byTenant(findings: readonly Finding[]): Map<string, Omit<Finding, "tenantId">[]> {
  const found = new Map<string, Omit<Finding, "tenantId">[]>();
  for (const { tenantId, ...finding } of findings) {
    const known = found.get(tenantId);
    if (known) known.push(finding);
    else found.set(tenantId, [finding]);
  }
  return found;
}

function digestOf(findings: readonly object[]): string {
  return createHash("sha256").update(JSON.stringify(findings)).digest("hex");
}
