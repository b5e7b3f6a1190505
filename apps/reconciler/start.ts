import { NestFactory } from "@nestjs/core";
import type { RunSettings } from "#libs/config";
import type { LedgerLog } from "#libs/ledger";
import type { RunView, TaskName, Trigger } from "#libs/reconcile";
import { consoleLog } from "./log.js";
import { ReconcilerModule, type LedgerPort } from "./reconciler.module.js";
import { Reconciler } from "./reconciler.js";

export interface ReconcilerOptions {
  /** The ledger of this process, to share; without it the reconciler opens its own. */
  readonly ledger?: LedgerPort;
  readonly log?: LedgerLog;
}

export interface RunningReconciler {
  /** Runs tasks in this process now and returns their runs. */
  runNow(tasks: readonly TaskName[], trigger?: Trigger): Promise<RunView[]>;
  /** Cuts what is at work and closes all connections but those of a shared ledger. */
  close(): Promise<void>;
}

/** Starts the reconciler on a record whose migrations are applied. */
export async function startReconciler(
  settings: RunSettings,
  options: ReconcilerOptions = {},
): Promise<RunningReconciler> {
  const { ledger, log = consoleLog(settings.logLevel) } = options;
  const context = await NestFactory.createApplicationContext(ReconcilerModule.of({ settings, ledger, log }), {
    logger: false,
    abortOnError: false,
  });
  const reconciler = context.get(Reconciler);
  return {
    runNow: (tasks, trigger) => reconciler.runNow(tasks, trigger),
    close: () => context.close(),
  };
}
