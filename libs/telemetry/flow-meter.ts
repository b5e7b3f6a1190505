import type { FlowMeter, Metered } from "#libs/flow";
import type { Instruments } from "./instruments.js";
import type { Labels } from "./ledger-meter.js";

/** What permits say that are of no bounded service. */
const NO_SERVICE = "none";

/** Counts what flow control tells. */
export function flowMeter(instruments: Instruments, { services, tenant }: Labels): FlowMeter {
  const { permits, shed, waited, finished, stages, alone, unheard } = instruments;
  const permit = stages.labels({ stage: "permit" });
  const at = (service: string | null) => (service === null ? NO_SERVICE : services.of(service));
  const ended = ({ service, tenantId }: Metered, result: string): void =>
    permits.inc({ service: at(service), result, ...tenant(tenantId) });
  return {
    granted: (of) => ended(of, "granted"),
    refused: (of, { reason, scope }) => {
      ended(of, "refused");
      shed.inc({ service: at(of.service), reason, scope, ...tenant(of.tenantId) });
    },
    waits: ({ service }) => waited.inc({ service: at(service) }),
    aborted: (of) => ended(of, "aborted"),
    finished: ({ service, tenantId }, outcome) => finished.inc({ service: at(service), outcome, ...tenant(tenantId) }),
    decided: (ms) => permit.observe(ms / 1_000),
    decidedAlone: () => alone.inc(),
    unheard: () => unheard.inc(),
  };
}
