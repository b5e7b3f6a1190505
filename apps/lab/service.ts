/** A Holdfast of the lab's own: a process with an empty record, started for one run and removed after it. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { environmentWithoutSettings } from "#libs/config";
import { freePort } from "#libs/embedded";
import { LabError } from "./client.js";
import { type Target } from "./options.js";

export interface Service extends Target {
  /** Ends the process and removes its folder; safe to call more than once. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 100;
const STOP_WITHIN_MS = 15_000;
const HOST = "127.0.0.1";

/** Starts a Holdfast and waits until it is ready. Nothing is left behind when that fails or `signal` aborts it. */
export async function startService(signal: AbortSignal): Promise<Service> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-lab-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  let running: Running | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    await remove();
  };
  try {
    // Embedded PostgreSQL never runs as root; its own user must be able to pass through the folder.
    await chmod(folder, 0o711);
    const target = { url: `http://${HOST}:${await freePort()}`, adminKey: randomBytes(32).toString("hex") };
    running = new Running(environmentFor(target, folder));
    await running.ready(target.url, signal);
    return { ...target, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The caller's environment without any setting of Holdfast: one that names a shared database must not lead this
 * throw-away service, with its own operator's key, to it.
 */
function environmentFor(target: Target, folder: string): Record<string, string | undefined> {
  return {
    ...environmentWithoutSettings(),
    HOLDFAST_HOST: HOST,
    HOLDFAST_PORT: new URL(target.url).port,
    HOLDFAST_DATA_DIR: folder,
    HOLDFAST_ADMIN_KEY: target.adminKey,
    HOLDFAST_LOG_LEVEL: "warn",
  };
}

class Running {
  private readonly child: ChildProcess;
  private readonly exited: Promise<void>;
  private output = "";

  constructor(environment: Record<string, string | undefined>) {
    const program = fileURLToPath(new URL("../main.js", import.meta.url));
    // In a group of its own, so that Ctrl-C reaches the lab alone and the lab decides the order of the end.
    this.child = spawn(process.execPath, [program], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.exited = new Promise((resolve) => {
      this.child.once("exit", () => resolve());
      this.child.once("error", (error) => {
        this.output += error.message;
        resolve();
      });
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output = (this.output + text).slice(-8_000);
      });
    }
    process.once("exit", this.killGroup);
  }

  async ready(url: string, signal: AbortSignal): Promise<void> {
    const gone = this.exited.then(() => "gone" as const);
    const attempts = Math.ceil(READY_WITHIN_MS / READY_POLL_MS);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (await answersReady(url, signal)) return;
      if ((await Promise.race([gone, delay(READY_POLL_MS, "waiting" as const, { signal })])) === "gone") {
        throw new LabError(`Holdfast did not start: ${this.lastWords()}`);
      }
    }
    throw new LabError(`Holdfast was not ready within ${READY_WITHIN_MS / 1000} s: ${this.lastWords()}`);
  }

  async stop(): Promise<void> {
    if (this.alive) this.child.kill("SIGTERM");
    const late = new AbortController();
    const waited = delay(STOP_WITHIN_MS, undefined, { signal: late.signal }).then(this.killGroup, () => undefined);
    await Promise.race([this.exited, waited]);
    late.abort();
    process.removeListener("exit", this.killGroup);
  }

  private get alive(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The last resort: the service together with what it started. */
  private readonly killGroup = (): void => {
    if (this.alive && this.child.pid !== undefined) process.kill(-this.child.pid, "SIGKILL");
  };

  /** The line that most likely says why: the last that speaks of an error or a setting, else the last. */
  private lastWords(): string {
    const lines = this.output.split("\n").filter((line) => line.trim() !== "");
    return lines.findLast((line) => /error|HOLDFAST_/i.test(line)) ?? lines.at(-1) ?? "it said nothing";
  }
}

async function answersReady(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/ready`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
