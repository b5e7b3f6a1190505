import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, readlinkSync, statSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 20;
const startTimeoutMs = 60_000;
const collectTimeoutMs = 250;
const maxLogBytes = 10 * 1024 * 1024;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** Account to run as; only root may change it. */
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Starts a server whose output goes to a file. It gets a session of its own, so that Ctrl-C in the terminal reaches
 * Holdfast alone, which then stops the server last; and it is told to stop when this process exits in any other way.
 */
export function startServer(run: Command, logFile: string, cwd: string, stopSignal: NodeJS.Signals): ChildProcess {
  const log = openLog(logFile);
  const { command, args, ...ids } = run;
  const child = spawn(command, args, { cwd, detached: true, stdio: ["ignore", log, log], ...ids });
  closeSync(log);
  const onExit = (): void => void child.kill(stopSignal);
  process.once("exit", onExit);
  child.once("exit", () => process.removeListener("exit", onExit));
  child.unref();
  return child;
}

function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) truncateSync(file);
  return openSync(file, "a", 0o600);
}

/** Whether PATH has the program. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Waits until `ready` says so; else ends the server and throws with the last line of its log. */
export async function untilReady(child: ChildProcess, logFile: string, ready: () => Promise<boolean>): Promise<void> {
  let failure: string | undefined;
  child.on("error", (error) => (failure = error.message));
  const onExit = (): void => void (failure ??= lastLine(logFile));
  child.once("exit", onExit);
  const deadline = performance.now() + startTimeoutMs;
  try {
    while (!(await ready())) {
      if (failure !== undefined) throw new Error(failure);
      if (performance.now() > deadline) throw new Error(`not ready after ${startTimeoutMs} ms`);
      await sleep(pollMs);
    }
  } catch (cause) {
    child.kill("SIGQUIT");
    throw new Error(`${child.spawnfile} did not start: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  } finally {
    // Later the log may be gone before the server.
    child.off("exit", onExit);
  }
}

function lastLine(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
}

/** Sends the signals one after another, each with its time to work, until the process is gone. */
export async function stopProcess(pid: number, signals: readonly NodeJS.Signals[], graceMs = 10_000): Promise<void> {
  for (const signal of signals) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = performance.now() + graceMs;
    while (isAlive(pid) && performance.now() < deadline) await sleep(pollMs);
  }
}

export function isAlive(pid: number): boolean {
  return isThere(pid) && !isZombie(pid);
}

/** Whether nothing is left of the process. One that has ended is waited for a moment: its parent may be about to collect it. */
export async function isCollected(pid: number): Promise<boolean> {
  const deadline = performance.now() + collectTimeoutMs;
  while (isThere(pid) && isZombie(pid) && performance.now() < deadline) await sleep(pollMs);
  return !isThere(pid);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** An ended process that its parent has not collected yet still takes signals; in a container that may be for ever. */
function isZombie(pid: number): boolean {
  return procFile(pid, "stat")?.match(/\) Z /) != null;
}

/** What tells a process from a later one with the same number; undefined when it is gone. */
export function startOf(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  const ticks = procFile(pid, "stat")
    ?.replace(/^.*\) /s, "")
    .split(" ")[19];
  return ticks ?? ps(pid, "lstart=");
}

/** Whether the living process `pid` works on `folder`: it stands in its command line or is its working folder. */
export function worksOn(pid: number, folder: string): boolean {
  if (!isAlive(pid)) return false;
  const commandLine = procFile(pid, "cmdline") ?? ps(pid, "command=") ?? "";
  return commandLine.includes(folder) || workingFolder(pid) === folder;
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return undefined;
  }
}

function ps(pid: number, format: string): string | undefined {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", format], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}
