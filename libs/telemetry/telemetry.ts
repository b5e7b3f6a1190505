import type { FlowMeter } from "#libs/flow";
import type { LedgerMeter } from "#libs/ledger";
import { FigureHistory } from "./history.js";
import { Metrics, type MetricsOptions } from "./metrics.js";
import type { Traces } from "./traces.js";

export interface TelemetryOptions extends MetricsOptions {
  /** Where traces are sent; undefined: nowhere. */
  readonly otlpEndpoint: string | undefined;
}

/** What one process tells those who watch it. */
export interface Telemetry {
  readonly metrics: Metrics;
  readonly traces: Traces | null;
  /** What the libs tell of their work: counted, and traced where that is switched on. */
  readonly ledger: LedgerMeter;
  readonly flow: FlowMeter;
  close(): Promise<void>;
}

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const metrics = new Metrics(options);
  const traces = await openTraces(options);
  const history = new FigureHistory(options.databaseUrl, metrics.instruments);
  return {
    metrics,
    traces,
    ledger: traces?.ledger(metrics.ledger) ?? metrics.ledger,
    flow: traces?.flow(metrics.flow) ?? metrics.flow,
    close: async () => {
      await traces?.close();
      await history.close();
      await metrics.close();
    },
  };
}

/** Loaded only where it is used: it would make every start slower. */
async function openTraces({ otlpEndpoint }: TelemetryOptions): Promise<Traces | null> {
  if (otlpEndpoint === undefined) return null;
  const loaded = await import("./traces.js");
  return new loaded.Traces(otlpEndpoint);
}
