import type pg from "pg";
import { serviceOfBook, type LedgerLog } from "#libs/ledger";
import { messageOf } from "../log.js";
import { orStopped } from "../or-stopped.js";
import type { Tally, Task } from "../task.js";
import { BOOKS, COMPARE, type Comparison, type Difference } from "./audit-sql.js";

/** Findings that a run keeps; beyond it they are counted. */
const KEPT = 1_000;
/** Findings of one tenant that go into the log. */
const LOGGED = 20;
const TENANTS_PAGE = 500;
/** Longest comparison of one tenant; then it counts as not audited. */
const COMPARE_MS = 600_000;

export interface Finding extends Difference {
  /** Of a service: the id of its book. */
  readonly tenantId: string;
}

/** Copies of balances elsewhere, held against the record and repaired. */
export interface CopyAuditor {
  auditCopies(
    tenantId: string,
  ): Promise<{ readonly checked: number; readonly repaired: readonly { readonly key: string }[] }>;
}

/** What a run found. At most a thousand findings and repaired copies are listed. */
export interface AuditDetail {
  tenants: number;
  services: number;
  /** Figures in the record that do not follow from what they should follow from. */
  differences: number;
  readonly findings: Finding[];
  copiesChecked: number;
  copiesRepaired: number;
  readonly repairs: object[];
  /** Why a tenant, or all copies, could not be audited. */
  error?: string;
  copiesError?: string;
}

/**
 * Holds the figures against each other: the sums of the ledger and what open reservations hold against the balances,
 * and the balances against their copies. Differences in the record are reported and never mended, since which side is
 * right is for a person to say; wrong copies are repaired, since the record is always right.
 */
export class Audit implements Task {
  readonly name = "audit";
  readonly alone = true;

  constructor(
    private readonly pool: pg.Pool,
    private readonly copies: CopyAuditor,
    private readonly log: LedgerLog,
    readonly everyMs: number,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    const detail = {
      tenants: 0,
      services: 0,
      differences: 0,
      findings: [],
      copiesChecked: 0,
      copiesRepaired: 0,
      repairs: [],
    };
    tally.detail = detail;
    for await (const tenantId of this.books(signal)) {
      await this.auditRecord(tenantId, tally, detail, signal);
      if (signal.aborted) return "done";
      await orStopped(this.auditCopies(tenantId, detail), signal);
    }
    return "done";
  }

  private async *books(signal: AbortSignal): AsyncGenerator<string> {
    for (let last = ""; ;) {
      const { rows } = await this.pool.query<{ id: string }>(BOOKS, [last, TENANTS_PAGE]);
      for (const { id } of rows) {
        if (signal.aborted) return;
        yield id;
      }
      if (rows.length < TENANTS_PAGE) return;
      last = rows.at(-1)!.id;
    }
  }

  private async auditRecord(tenantId: string, tally: Tally, detail: AuditDetail, signal: AbortSignal): Promise<void> {
    try {
      const { checked, differences, findings } = await this.compare(tenantId, KEPT - detail.findings.length, signal);
      tally.handled += checked;
      tally.failed += differences;
      detail[serviceOfBook(tenantId) === null ? "tenants" : "services"] += 1;
      detail.differences += differences;
      for (const finding of findings) detail.findings.push({ tenantId, ...finding });
      if (differences > 0)
        this.log.error({ tenantId, differences, findings: findings.slice(0, LOGGED) }, "the audit found differences");
    } catch (error) {
      if (signal.aborted) return;
      tally.failed += 1;
      detail.error ??= messageOf(error);
      this.log.error({ tenantId, err: error }, "a tenant could not be audited");
    }
  }

  /** One statement, so that all of it is seen at one moment. A stop does not wait for it: it drops the connection. */
  private async compare(tenantId: string, most: number, signal: AbortSignal): Promise<Comparison> {
    const client = await this.pool.connect();
    let held = true;
    const giveBack = (broken: boolean): void => {
      if (held) client.release(broken);
      held = false;
    };
    const drop = (): void => giveBack(true);
    try {
      signal.throwIfAborted();
      signal.addEventListener("abort", drop);
      const query = { text: COMPARE, values: [tenantId, most], query_timeout: COMPARE_MS };
      return (await client.query<Comparison>(query)).rows[0]!;
    } finally {
      signal.removeEventListener("abort", drop);
      giveBack(false);
    }
  }

  private async auditCopies(tenantId: string, detail: AuditDetail): Promise<void> {
    if (detail.copiesError !== undefined) return;
    try {
      const { checked, repaired } = await this.copies.auditCopies(tenantId);
      detail.copiesChecked += checked;
      detail.copiesRepaired += repaired.length;
      for (const copy of repaired.slice(0, KEPT - detail.repairs.length)) detail.repairs.push({ tenantId, ...copy });
      if (repaired.length > 0)
        this.log.error({ tenantId, repaired: repaired.slice(0, LOGGED) }, "the audit repaired wrong copies");
    } catch (error) {
      // Copies are only a help: where they cannot be reached nothing is wrong, and the next run looks again.
      detail.copiesError = messageOf(error);
    }
  }
}
