import type { Command, LedgerMeter, Outcome } from "#libs/ledger";
import type { Bounded } from "./bounded.js";
import type { Instruments } from "./instruments.js";

export interface Labels {
  readonly units: Bounded;
  readonly services: Bounded;
  /** The label of a tenant, where tenants are told apart. */
  tenant(id: string): { readonly tenant?: string };
}

/** Movements between a job and its child, which take and spend nothing of the tenant's. */
const INSIDE = ["grant", "return", "limit"];

/** Counts what the ledger tells. */
export function ledgerMeter(instruments: Instruments, { units, tenant }: Labels): LedgerMeter {
  const { decisions, stages, batchCommands, batchSeconds, copied, bypasses } = instruments;
  const { reserved, returned, spent, denied } = instruments;
  const stage = { script: stages.labels({ stage: "script" }), commit: stages.labels({ stage: "commit" }) };
  const count = (command: Command, outcome: string, scope: string): void =>
    decisions.inc({ operation: operationOf(command), outcome, scope, ...tenant(command.tenantId) });
  return {
    async stage(name, run) {
      const begun = performance.now();
      try {
        return await run();
      } finally {
        stage[name].observe((performance.now() - begun) / 1_000);
      }
    },
    decided(command, outcome) {
      count(command, ...whatBecame(outcome));
      const denial = outcome.type === "refused" ? outcome.refusal.denial : undefined;
      if (denial && operationOf(command) !== "dryRun")
        denied.inc({ unit: units.of(denial.unit), ...tenant(command.tenantId) }, denial.requested);
    },
    undecided(command, error) {
      const known = UNDECIDED[(error as Error).name];
      count(command, known ?? "failed", "none");
    },
    batch(commands, ms) {
      batchCommands.observe(commands);
      batchSeconds.observe(ms / 1_000);
    },
    moved(tenantId, entries) {
      const whose = tenant(tenantId);
      for (const entry of entries) {
        if (entry.type === "settings" || INSIDE.includes(entry.type)) continue;
        const labels = { unit: units.of(entry.unit), ...whose };
        if (entry.reserved > 0) reserved.inc(labels, entry.reserved);
        if (entry.reserved < 0) returned.inc(labels, -entry.reserved);
        if (entry.spent > 0) spent.inc(labels, entry.spent);
      }
    },
    copied: (copies, why) => copied.inc({ why }, copies),
    bypassed: () => bypasses.inc(),
  };
}

const UNDECIDED: Readonly<Record<string, string>> = {
  LedgerUnavailable: "ledger_unavailable",
  ShuttingDown: "shutting_down",
};

function operationOf(command: Command): string {
  return command.type === "reserve" && command.dryRun ? "dryRun" : command.type;
}

/** The outcome, and the kind of the scope that denied it or, under `observe`, would have. */
function whatBecame(outcome: Outcome): [outcome: string, scope: string] {
  if (outcome.type === "refused") return [outcome.refusal.code, outcome.refusal.denial?.scope.kind ?? "none"];
  if (outcome.replayed) return ["replayed", "none"];
  const { wouldDeny } = outcome.answer as { wouldDeny?: { scope: { kind: string } } };
  return wouldDeny ? ["observed", wouldDeny.scope.kind] : ["done", "none"];
}
