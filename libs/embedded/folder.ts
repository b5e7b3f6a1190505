import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isCollected, startOf, stopProcess, worksOn } from "./process.js";

/** Another living process runs a server on this folder. */
export class FolderInUseError extends Error {
  constructor(
    readonly folder: string,
    readonly pid: number,
  ) {
    super(`${folder} is in use by process ${pid}`);
    this.name = "FolderInUseError";
  }
}

interface Owner {
  readonly pid: number;
  readonly start: string;
}

const ownerFile = "owner.json";

/**
 * Makes the folder, takes it for this process and runs `start` with its real path; gives it back if that fails.
 * What a dead owner left running there is for `start` to end.
 */
export async function withClaim<T>(folder: string, start: (path: string) => Promise<T>): Promise<T> {
  makeFolder(folder);
  const path = realpathSync(folder);
  claim(path);
  try {
    return await start(path);
  } catch (error) {
    releaseFolder(path);
    throw error;
  }
}

/** Node's own recursive mkdir never returns where the system answers ENOENT for good, as under /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

export function releaseFolder(path: string): void {
  rmSync(join(path, ownerFile), { force: true });
}

/** The password of the server that lives in the folder: made once, so that its address stays the same. */
export function passwordIn(folder: string): string {
  const file = join(folder, "password");
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}

function claim(path: string): void {
  const owner = ownerOf(path);
  if (owner && startOf(owner.pid) === owner.start) throw new FolderInUseError(path, owner.pid);
  releaseFolder(path);
  const self: Owner = { pid: process.pid, start: startOf(process.pid) ?? "" };
  // Exclusive: of two processes that find the same dead owner, one gets the folder.
  writeFileSync(join(path, ownerFile), `${JSON.stringify(self)}\n`, { flag: "wx" });
}

function ownerOf(path: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(path, ownerFile), "utf8")) as Owner;
  } catch {
    return undefined;
  }
}

/**
 * Ends the server that an owner left behind when it was killed. Its pid file is removed only where the number belongs to a
 * stranger by now, or to an ended process that nobody collects: next to either PostgreSQL would refuse to start. From a dead
 * server's file it learns whether some of its processes still work on the data.
 */
export async function endOrphan(folder: string, pidFile: string, signals: readonly NodeJS.Signals[]): Promise<void> {
  const pid = pidIn(pidFile);
  if (pid === undefined) return;
  if (worksOn(pid, folder)) await stopProcess(pid, signals);
  // One that nothing ended keeps its file: two servers on the same data would be worse than none.
  if (!worksOn(pid, folder) && !(await isCollected(pid))) rmSync(pidFile, { force: true });
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
