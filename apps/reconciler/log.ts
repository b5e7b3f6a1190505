import { performance } from "node:perf_hooks";
import { ConsoleLogger, type LogLevel } from "@nestjs/common";
import type { LedgerLog } from "#libs/ledger";

const LEVELS: readonly LogLevel[] = ["verbose", "debug", "log", "warn", "error", "fatal"];
/** The names of the setting, as Nest calls them. */
const NEST_LEVEL: Readonly<Record<string, LogLevel>> = { trace: "verbose", info: "log" };

/** Lines of JSON on the standard output, from `level` on; "silent" writes nothing. */
export function consoleLog(level: string): LedgerLog {
  const from = LEVELS.indexOf(NEST_LEVEL[level] ?? (level as LogLevel));
  const logger = new ConsoleLogger("reconciler", { json: true, logLevels: from < 0 ? [] : LEVELS.slice(from) });
  return {
    info: (fields, message) => logger.log(lineOf(fields, message)),
    warn: (fields, message) => logger.warn(lineOf(fields, message)),
    error: (fields, message) => logger.error(lineOf(fields, message)),
  };
}

function lineOf(fields: object, message: string): object {
  const err = "err" in fields ? { err: messageOf(fields.err) } : {};
  return { message, ...fields, ...err };
}

export function messageOf(error: unknown): string {
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

const QUIET_MS = 60_000;

/** Says a trouble when it comes up, and while it goes on at most once a minute, with how often it came meanwhile. */
export class Troubles {
  private readonly known = new Map<string, { saidAt: number; unsaid: number }>();

  constructor(
    private readonly log: LedgerLog,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  report(what: string, error: unknown): void {
    const known = this.known.get(what);
    if (known && this.clock() - known.saidAt < QUIET_MS) {
      known.unsaid += 1;
      return;
    }
    this.log.warn({ err: error, ...(known && { times: known.unsaid + 1 }) }, what);
    this.known.set(what, { saidAt: this.clock(), unsaid: 0 });
  }
}
