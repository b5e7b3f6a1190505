import type { RunSettings } from "#libs/config";
import type { Flow } from "#libs/flow";
import type { Ledger, LedgerLog } from "#libs/ledger";
import type { Metrics } from "#libs/telemetry";
import type { Authenticator } from "../auth/authenticator.js";
import type { PrismaClient } from "../record/client.js";
import { EventDesk } from "./desk.js";
import { LiveServices } from "./services.js";
import { Watcher } from "./watcher.js";

interface Parts {
  readonly ledger: Ledger;
  readonly flow: Flow;
  readonly record: PrismaClient;
  readonly authenticator: Authenticator;
  readonly metrics: Metrics;
  readonly log: LedgerLog;
}

/** The streams of this process, and the one watcher that they share. */
export function openEvents({ eventStreams }: Pick<RunSettings, "eventStreams">, parts: Parts): EventDesk {
  const { ledger, flow, record, authenticator, metrics, log } = parts;
  const services = new LiveServices(record, flow);
  const isRedisAway = (): boolean => ledger.status().redis === "bypassed";
  return new EventDesk(
    new Watcher({ record, services, isRedisAway, log }),
    authenticator,
    eventStreams,
    metrics.instruments,
  );
}
