import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { stopProcess } from "./process.js";

const firstPauseMs = 250;
const longestPauseMs = 5_000;

export interface KeptServer {
  readonly pid: number;
  /** Ends the server in order, and for good; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Launches a server and, if `restart` says so, launches it again whenever it ends unasked, until that succeeds: what a
 * killed server left behind, such as its shared memory, may take a moment to go.
 */
export async function keep(
  launch: () => Promise<ChildProcess>,
  stopSignals: readonly NodeJS.Signals[],
  restart: boolean,
): Promise<KeptServer> {
  let child = await launch();
  let stopping = false;
  let relaunching: Promise<void> | undefined;

  const relaunch = async (): Promise<void> => {
    for (let pause = firstPauseMs; !stopping; pause = Math.min(2 * pause, longestPauseMs)) {
      await sleep(pause);
      if (stopping) return;
      try {
        child = await launch();
        return watch();
      } catch {
        // Its log says why; the next try may find the way free.
      }
    }
  };
  const watch = (): void => {
    const ended = (): void => void (relaunching = relaunch());
    if (child.exitCode !== null || child.signalCode !== null) return ended();
    child.once("exit", () => stopping || ended());
  };
  if (restart) watch();

  return {
    get pid() {
      return child.pid ?? 0;
    },
    stop: async () => {
      stopping = true;
      await relaunching;
      await stopProcess(child.pid ?? 0, stopSignals);
    },
  };
}
