import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { once } from "node:events";

/** Ticks a second in /proc. */
const TICKS = 100;

const children = new Set<ChildProcess>();

/** Starts a program of dist/ and waits for the address that it prints. */
export async function startProgram(
  file: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const url = await addressFrom(child, file);
  const stop = async () => {
    children.delete(child);
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, pid: child.pid!, stop };
}

function addressFrom(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout!.on("data", (chunk) => {
      output += String(chunk);
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (url) resolve(url);
    });
    child.once("exit", () => reject(new Error(`${name} ended before it was ready: ${output}`)));
  });
}

export function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Processor seconds so far of processes and all their descendants. */
export function cpuSecondsOf(roots: readonly number[]): number {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const parents = new Map(rows.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
  const isOurs = (pid: number): boolean => pid > 1 && (roots.includes(pid) || isOurs(parents.get(pid) ?? 0));
  let ticks = 0;
  for (const pid of parents.keys()) if (isOurs(pid)) ticks += ticksOf(pid);
  return ticks / TICKS;
}

function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // It ended meanwhile.
  }
}
