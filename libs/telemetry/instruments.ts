import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Seconds: from a denial out of a copy to a caller that waited for its permit. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const COMMANDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** A figure that nobody has set is not shown: a process has only those of what it does. */
function gaugesIn(registry: Registry) {
  return <const L extends string = never>(name: string, help: string, labelNames: L[] = []): Gauge<L> => {
    const gauge = new Gauge<L>({ name: `holdfast_${name}`, help, labelNames, registers: [registry] });
    if (labelNames.length === 0) gauge.remove();
    return gauge;
  };
}

/**
 * What is counted where it happens. docs/metrics.md says what each means. A label has few values: routes are patterns,
 * units and services are bounded, and tenants are told apart only where that is switched on.
 */
export function instrumentsOf(registry: Registry, perTenant: boolean) {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <const L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L | "tenant">({ name: `holdfast_${name}`, help, labelNames, registers });
  const ofTenants = <const L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    counter<L | "tenant">(name, help, perTenant ? [...labelNames, "tenant"] : labelNames);
  const histogram = <const L extends string = never>(
    name: string,
    help: string,
    { labels = [], buckets = SECONDS }: { labels?: L[]; buckets?: number[] } = {},
  ) => new Histogram<L>({ name: `holdfast_${name}`, help, labelNames: labels, buckets, registers });
  const gauge = gaugesIn(registry);
  return {
    decisions: ofTenants("decisions_total", "Commands, by what became of them.", ["operation", "outcome", "scope"]),
    reserved: ofTenants("amount_reserved_total", "Amounts that were taken.", ["unit"]),
    returned: ofTenants("amount_returned_total", "Amounts that are held no more.", ["unit"]),
    spent: ofTenants("amount_spent_total", "Amounts that were spent.", ["unit"]),
    denied: ofTenants("amount_denied_total", "Amounts that were asked for and denied.", ["unit"]),
    requests: histogram("http_request_duration_seconds", "Requests, to the last byte of the answer.", {
      labels: ["method", "route", "status"],
    }),
    stages: histogram("stage_duration_seconds", "What requests wait for.", { labels: ["stage"] }),
    batchCommands: histogram("batch_commands", "Commands that share a transaction.", { buckets: COMMANDS }),
    batchSeconds: histogram("batch_duration_seconds", "Transactions, from their beginning to their commit."),
    pending: gauge("commands_pending", "Commands that were taken and are not answered yet."),
    copied: counter("copies_refreshed_total", "Copies of balances that were sent to Redis.", ["why"]),
    bypassed: gauge("redis_bypassed", "1 while the record decides without the Redis that there is."),
    bypasses: counter("redis_bypasses_total", "Times that Redis began to be left alone."),
    permits: ofTenants("permits_total", "Callers who asked for a permit, by how it ended.", ["service", "result"]),
    shed: ofTenants("shed_total", "Permits that were refused, and why.", ["service", "reason", "scope"]),
    waited: counter("permit_waits_total", "Callers who had to wait for a permit.", ["service"]),
    finished: ofTenants("permits_finished_total", "Permits that were finished.", ["service", "outcome"]),
    waiting: gauge("permit_callers_waiting", "Callers who wait for a permit in this process."),
    shared: gauge("flow_shared", "1 while permits are decided together with the other processes."),
    alone: counter("flow_decided_alone_total", "Permits that this process decided since Redis did not answer."),
    historyFailures: counter(
      "history_writes_failed_total",
      "Times that what was counted could not be added to the history yet.",
    ),
    streams: gauge("event_streams", "Streams of events that are open."),
    streamsEnded: counter("event_streams_ended_total", "Streams of events that ended, and why.", ["why"]),
    unheard: counter("flow_finishes_unheard_total", "Ends of permits that Redis did not hear of."),
  };
}

export type Instruments = ReturnType<typeof instrumentsOf>;

/** How services stand, at all processes together. */
export function serviceInstrumentsOf(registry: Registry) {
  const gauge = gaugesIn(registry);
  return {
    waiting: gauge("service_queue_depth", "Callers who wait for a permit.", ["service"]),
    inFlight: gauge("service_in_flight", "Permits in force.", ["service"]),
    places: gauge("service_places", "Permits that may be in force at once.", ["service"]),
    adaptiveLimit: gauge("service_adaptive_limit", "The adaptive limit now.", ["service"]),
    tokens: gauge("service_rate_tokens", "Tokens of the rate that are there now.", ["service"]),
    breaker: gauge("service_breaker_state", "1 for the state that the breaker is in.", ["service", "state"]),
  };
}

/** What the record says of sweeps and audits. */
export function recordInstrumentsOf(registry: Registry) {
  const gauge = gaugesIn(registry);
  return {
    up: gauge("record_up", "1 while the record answers."),
    overdue: gauge("reservations_overdue", "Open reservations whose deadline has passed, counted up to 10 000."),
    sweepAge: gauge("sweep_age_seconds", "Time since the last sweep finished, at whatever process."),
    auditAge: gauge("audit_age_seconds", "Time since the last audit finished, at whatever process."),
    differences: gauge("audit_differences", "Figures that the last audit found not to follow from the ledger."),
    repaired: gauge("audit_copies_repaired", "Wrong copies that the last audit replaced."),
  };
}

export type RecordInstruments = ReturnType<typeof recordInstrumentsOf>;
