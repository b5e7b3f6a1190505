import type { Flow, ServiceView } from "#libs/flow";
import type { Ledger } from "#libs/ledger";
import { MOST_SERVICES, type Metrics } from "#libs/telemetry";
import type { PrismaClient } from "../record/client.js";
import { limitsOf } from "../services/limits.js";
import { MADE } from "../services/record.js";
import type { ServiceBody } from "../services/service.dto.js";

/** What is found out about this process and about the services when somebody asks for the figures. */
export function lookUpFigures(metrics: Metrics, ledger: Ledger, flow: Flow, record: PrismaClient): void {
  const { pending, bypassed, waiting, shared } = metrics.instruments;
  metrics.lookUp(() => {
    pending.set(ledger.pending);
    bypassed.set(ledger.status().redis === "bypassed" ? 1 : 0);
    waiting.set(flow.waiting);
    shared.set(flow.isShared ? 1 : 0);
  });
  metrics.lookUp(() => lookUpServices(metrics.services, flow, record));
}

type ServiceInstruments = Metrics["services"];

/** The first so many by their names; whatever cannot be looked up is not shown. */
async function lookUpServices(instruments: ServiceInstruments, flow: Flow, record: PrismaClient): Promise<void> {
  for (const gauge of Object.values(instruments)) gauge.reset();
  const services = await record.service.findMany({ where: MADE, orderBy: { name: "asc" }, take: MOST_SERVICES });
  await Promise.all(
    services.map(async ({ name, settings }) => {
      show(instruments, name, await flow.show(name, limitsOf(settings as unknown as ServiceBody)));
    }),
  );
}

const PHASES: readonly ServiceView["breaker"][] = ["closed", "open", "half_open"];

function show(instruments: ServiceInstruments, service: string, view: ServiceView): void {
  const at = { service };
  instruments.waiting.set(
    at,
    Object.values(view.waiting).reduce((sum, waiting) => sum + waiting, 0),
  );
  instruments.inFlight.set(at, view.inFlight);
  if (view.places !== null) instruments.places.set(at, view.places);
  if (view.adaptiveLimit !== null) instruments.adaptiveLimit.set(at, view.adaptiveLimit);
  if (view.tokens !== null) instruments.tokens.set(at, view.tokens);
  for (const state of PHASES) instruments.breaker.set({ ...at, state }, view.breaker === state ? 1 : 0);
}
