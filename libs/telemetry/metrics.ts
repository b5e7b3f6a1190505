import { Registry } from "prom-client";
import type { FlowMeter } from "#libs/flow";
import type { LedgerMeter } from "#libs/ledger";
import { Bounded } from "./bounded.js";
import { flowMeter } from "./flow-meter.js";
import { instrumentsOf, recordInstrumentsOf, serviceInstrumentsOf, type Instruments } from "./instruments.js";
import { ledgerMeter, type Labels } from "./ledger-meter.js";
import { RecordFigures } from "./record-figures.js";

export interface MetricsOptions {
  readonly databaseUrl: string;
  /** Whether tenants are told apart. */
  readonly metricsTenants: "off" | "on";
}

/** Units and services are named by the operator; beyond so many they are one. */
const MOST_UNITS = 50;
export const MOST_SERVICES = 100;

/** The figures of one process: counted where things happen, and looked up when somebody asks. */
export class Metrics {
  readonly ledger: LedgerMeter;
  readonly flow: FlowMeter;
  readonly instruments: Instruments;
  readonly services: ReturnType<typeof serviceInstrumentsOf>;
  private readonly registry = new Registry();
  private readonly record: RecordFigures;
  private readonly lookUps: (() => void | Promise<void>)[];
  private showing: Promise<string> | undefined;

  constructor({ databaseUrl, metricsTenants }: MetricsOptions) {
    const perTenant = metricsTenants === "on";
    this.instruments = instrumentsOf(this.registry, perTenant);
    this.services = serviceInstrumentsOf(this.registry);
    const labels: Labels = {
      units: new Bounded(MOST_UNITS),
      services: new Bounded(MOST_SERVICES),
      tenant: perTenant ? (tenant) => ({ tenant }) : () => ({}),
    };
    this.ledger = ledgerMeter(this.instruments, labels);
    this.flow = flowMeter(this.instruments, labels);
    this.record = new RecordFigures(databaseUrl, recordInstrumentsOf(this.registry));
    this.lookUps = [() => this.record.refresh()];
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Sets gauges before they are shown. One that fails keeps none of the others from being shown. */
  lookUp(look: () => void | Promise<void>): void {
    this.lookUps.push(look);
  }

  /** Everything as Prometheus reads it. Whoever asks meanwhile gets the same. */
  show(): Promise<string> {
    return (this.showing ??= this.text().finally(() => (this.showing = undefined)));
  }

  close(): Promise<void> {
    return this.record.close();
  }

  private async text(): Promise<string> {
    await Promise.allSettled(this.lookUps.map(async (look) => look()));
    return this.registry.metrics();
  }
}
