import "reflect-metadata";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { NestFactory } from "@nestjs/core";
import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import type { FastifyInstance } from "fastify";
import type { RunSettings } from "#libs/config";
import { Ledger, type LedgerLog } from "#libs/ledger";
import type { Telemetry } from "#libs/telemetry";
import { requestRuns, type RunView, type TaskName } from "#libs/reconcile";
import { AppModule, type ApiParts } from "./app.module.js";
import { Authenticator } from "./auth/authenticator.js";
import { KeyCache } from "./auth/key-cache.js";
import { readLargeBodiesForKeysOnly } from "./auth/large-bodies.js";
import { keyLoader } from "./auth/load-keys.js";
import { adminKeyHash } from "./auth/operator.js";
import { DenialTally } from "./denials/tally.js";
import { openEvents } from "./events/open.js";
import { openFlow } from "./flow/open.js";
import { Readiness } from "./health/readiness.js";
import { createServer, type Closing } from "./http/server.js";
import { serveDocs } from "./openapi/document.js";
import { JobLimits } from "./jobs/create.js";
import { lookUpFigures } from "./telemetry/look-ups.js";
import { measureRequests } from "./telemetry/requests.js";
import { traceRequests } from "./telemetry/traces.js";
import { PermitDesk } from "./permits/desk.js";
import { Standings } from "./permits/standing.js";
import { PermitTokens } from "./permits/token.js";
import { openRecord, type PrismaClient } from "./record/client.js";
import { ServiceDirectory } from "./services/directory.js";
import { WebhookDesk } from "./webhooks/desk.js";

export { ensureAdminKey } from "./auth/operator.js";
export { openRecord } from "./record/client.js";

/** Longest wait for clients that are slow to send or to read, once the process is on its way out. */
const CLOSE_WITHIN_MS = 5_000;
const GOODBYES_MS = 400;
const GOODBYE_POLL_MS = 20;

export interface ApiOptions {
  readonly telemetry: Telemetry;
  /** The ledger of this process, to share; without it the API opens its own, and closes it. */
  readonly ledger?: Ledger;
  /** Runs tasks of the reconciler in this process; without it, whatever reconciler there is is asked by the queue. */
  readonly runNow?: (tasks: readonly TaskName[]) => Promise<readonly RunView[]>;
}

export interface RunningApi {
  readonly url: string;
  /** Turns new requests away, finishes those at work, and closes the connections. */
  close(): Promise<void>;
}

/** Starts the API on a record whose migrations are applied and whose operator has a key (see ensureAdminKey). */
export async function startApi(settings: RunSettings, options: ApiOptions): Promise<RunningApi> {
  const closing: Closing = { begun: false };
  const adapter = createServer(settings, closing);
  const server = adapter.getInstance<FastifyInstance>();
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const parts = await openParts(settings, options, { log: server.log, closing, ends });
    readLargeBodiesForKeysOnly(server, parts.authenticator);
    const { metrics, traces } = options.telemetry;
    measureRequests(server, metrics);
    if (traces) traceRequests(server, traces);
    const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(parts), adapter, {
      logger: false,
      bodyParser: false,
      abortOnError: false,
    });
    ends.push(() => app.close());
    // Whoever waits for a permit is told at once; the requests that are at work may still finish theirs.
    ends.push(() => parts.flow.stopGranting());
    serveDocs(app);
    await app.listen(settings.port, settings.host);
    return { url: urlOf(settings, server), close: () => close(server, closing, parts, ends) };
  } catch (error) {
    await endAll(ends);
    throw error;
  }
}

interface Surroundings {
  readonly log: LedgerLog;
  readonly closing: Closing;
  /** What must be ended, in the order in which it was started. */
  readonly ends: (() => Promise<unknown>)[];
}

async function openParts(
  settings: RunSettings,
  { ledger: shared, runNow, telemetry }: ApiOptions,
  { log, closing, ends }: Surroundings,
): Promise<ApiParts> {
  const record: PrismaClient = openRecord(settings.databaseUrl, log);
  ends.push(() => record.$disconnect());
  const authenticator = new Authenticator(await adminKeyHash(settings, record), new KeyCache(keyLoader(record)));
  const ledger = shared ?? openLedger(settings, log, telemetry);
  const denials = new DenialTally(record, log);
  ends.push(() => denials.close());
  if (!shared) ends.push(() => ledger.close());
  ledger.onDenied((command, grounds, isObserved) => denials.note(command, grounds, isObserved));
  const flow = openFlow(settings, telemetry.flow);
  ends.push(() => flow.close());
  const desk = new PermitDesk(flow, new Standings(ledger), new ServiceDirectory(record), settings.retryRatio);
  const tokens = await PermitTokens.open(record);
  const readiness = new Readiness(ledger, record, settings.sweepIntervalMs, closing);
  const runner = { runNow: runNow ?? ((tasks: readonly TaskName[]) => requestRuns(settings.databaseUrl, tasks)) };
  const jobLimits = new JobLimits(settings.maxJobDepth);
  const webhooks = new WebhookDesk(record, { addresses: settings.webhookAddresses, http: settings.webhookHttp });
  const { metrics } = telemetry;
  lookUpFigures(metrics, ledger, flow, record);
  const parts = {
    ledger,
    flow,
    desk,
    tokens,
    record,
    authenticator,
    readiness,
    runner,
    jobLimits,
    metrics,
    webhooks,
    log,
  };
  return { ...parts, events: openEvents(settings, parts) };
}

function openLedger(settings: RunSettings, log: LedgerLog, { ledger: meter }: Telemetry): Ledger {
  const { databaseUrl, redisUrl, redisTimeoutMs, commitTimeoutMs } = settings;
  return Ledger.open({ databaseUrl, redisUrl: redisUrl ?? null, redisTimeoutMs, commitTimeoutMs, log, meter });
}

/** A port of 0 is any free one, and a host of 0.0.0.0 or :: is every address of this machine. */
function urlOf({ host }: RunSettings, server: FastifyInstance): string {
  const { port } = server.addresses()[0] as AddressInfo;
  const name = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function close(
  server: FastifyInstance,
  closing: Closing,
  { events }: ApiParts,
  ends: (() => Promise<unknown>)[],
): Promise<void> {
  closing.begun = true;
  events.close();
  await goodbyes(server);
  const cut = setTimeout(() => server.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await endAll(ends);
  clearTimeout(cut);
}

/**
 * Leaves busy clients the time to be told by an answer that their connection ends here. Ended at once, it would look
 * idle while their next request is under way, and they would not know what became of it.
 */
async function goodbyes({ server }: FastifyInstance): Promise<void> {
  const open = promisify(server.getConnections.bind(server));
  for (let waited = 0; waited < GOODBYES_MS && (await open()) > 0; waited += GOODBYE_POLL_MS)
    await sleep(GOODBYE_POLL_MS);
}

async function endAll(ends: (() => Promise<unknown>)[]): Promise<void> {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}
