import { performance } from "node:perf_hooks";
import type { Ledger } from "#libs/ledger";
import type { Closing } from "../http/server.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import type { Checks, ReadyView, SweepCheck } from "./health.view.js";

/** A sweep may miss its turn twice before somebody should be told. */
const INTERVALS = 3;
/** Whoever asks more often than this shares an answer, since anybody may ask. */
const SHARED_MS = 250;

type LastSweep = { readonly ageMs: number | null } | "unknown";

/** Whether this process can serve: the record answers, sweeps go on, and it is not on its way out. */
export class Readiness {
  private readonly startedAt = performance.now();
  private lastAsked = -Infinity;
  private lastSweep: Promise<LastSweep> = Promise.resolve("unknown");

  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
    private readonly sweepIntervalMs: number,
    private readonly closing: Closing,
  ) {}

  async check(): Promise<ReadyView> {
    const last = await this.sharedLastSweep();
    const checks: Checks = {
      record: { status: last === "unknown" ? "down" : "up" },
      redis: { status: this.ledger.status().redis },
      sweep: this.sweepCheck(last === "unknown" ? null : last.ageMs),
      process: { status: this.closing.begun ? "stopping" : "serving" },
    };
    const good = checks.record.status === "up" && checks.sweep.status === "ok" && checks.process.status === "serving";
    return { status: good ? "ready" : "unready", checks };
  }

  /** A process that has just started waits as long for the first sweep as for any other. */
  private sweepCheck(ageMs: number | null): SweepCheck {
    const lateAfterMs = INTERVALS * this.sweepIntervalMs;
    const inGrace = performance.now() - this.startedAt <= lateAfterMs;
    const late = (ageMs === null || ageMs > lateAfterMs) && !inGrace;
    return { status: late ? "late" : "ok", ageMs, lateAfterMs };
  }

  private sharedLastSweep(): Promise<LastSweep> {
    if (performance.now() - this.lastAsked >= SHARED_MS) {
      this.lastAsked = performance.now();
      this.lastSweep = this.findLastSweep().catch(() => "unknown" as const);
    }
    return this.lastSweep;
  }

  /** By the record's clock, which also says when the run finished. A run that failed swept nothing. */
  private async findLastSweep(): Promise<LastSweep> {
    const [row] = await this.record.$queryRaw<[{ age: number | null }]>(Prisma.sql`
      SELECT (extract(epoch FROM holdfast_now() - max(finished_at)) * 1000)::float8 AS age
      FROM reconcile_runs WHERE task = 'expire' AND outcome <> 'failed'`);
    return { ageMs: row.age === null ? null : Math.max(0, Math.round(row.age)) };
  }
}
