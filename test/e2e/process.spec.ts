import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environmentWithoutSettings } from "#libs/config";
import { isAlive } from "#libs/embedded";
import { freshDatabase, freshFolder } from "../support/services.js";

const program = fileURLToPath(new URL("../../dist/apps/main.js", import.meta.url));

interface Run {
  readonly child: ChildProcess;
  /** What it wrote so far, to both outputs. */
  text(): string;
  ended: Promise<number | null>;
}

function start(settings: Record<string, string>): Run {
  const env = { ...environmentWithoutSettings(), HOLDFAST_PORT: "0", HOLDFAST_LOG_LEVEL: "silent", ...settings };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, text: () => text };
}

/** The address that a run prints once it is ready. */
async function readyAt(run: Run): Promise<string> {
  while (run.child.exitCode === null) {
    const url = /ready on (\S+)/.exec(run.text())?.[1];
    if (url !== undefined) return url;
    await Promise.race([once(run.child.stdout as NodeJS.ReadableStream, "data"), run.ended]);
  }
  throw new Error(`ended before it was ready: ${run.text()}`);
}

/** The process ids of the embedded servers of a data folder. */
function serversOf(dataDir: string): number[] {
  const files = [join(dataDir, "postgres/data/postmaster.pid"), join(dataDir, "redis/redis.pid")];
  return files.map((file) => Number.parseInt(readFileSync(file, "utf8"), 10));
}

describe("the process", () => {
  it("serves from an empty folder, shows a new admin key once, and stops with its servers on SIGINT and SIGTERM", async () => {
    const dataDir = freshFolder();
    const first = start({ HOLDFAST_DATA_DIR: dataDir });
    expect((await fetch(`${await readyAt(first)}/health/ready`)).status).toBe(200);
    const key = /Admin key.*: (hfa_\S+)/.exec(first.text())?.[1];
    const servers = serversOf(dataDir);
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(0);
    expect(servers.filter(isAlive)).toEqual([]);

    const second = start({ HOLDFAST_DATA_DIR: dataDir });
    const url = await readyAt(second);
    expect(second.text()).not.toContain("Admin key");
    const answer = await fetch(`${url}/v1/admin/tenants`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    expect(second.text()).toMatch(/^Holdfast is ready on \S+\n$/);
  });

  it("refuses a data folder in use, and takes it over from a process that was killed", async () => {
    const dataDir = freshFolder();
    const first = start({ HOLDFAST_DATA_DIR: dataDir });
    await readyAt(first);
    const orphans = serversOf(dataDir);

    const second = start({ HOLDFAST_DATA_DIR: dataDir });
    expect(await second.ended).toBe(1);
    expect(second.text()).toMatch(
      new RegExp(`^HOLDFAST_DATA_DIR is taken: .* is in use by process ${first.child.pid}\n$`),
    );

    first.child.kill("SIGKILL");
    await first.ended;
    const third = start({ HOLDFAST_DATA_DIR: dataDir });
    expect((await fetch(`${await readyAt(third)}/health/ready`)).status).toBe(200);
    expect(orphans.filter(isAlive)).toEqual([]);
    third.child.kill("SIGTERM");
    expect(await third.ended).toBe(0);
  });

  it("serves the API alone where a reconciler runs elsewhere, and the reconciler alone where an API does", async () => {
    const database = await freshDatabase();
    const shared = {
      HOLDFAST_DATABASE_URL: database.url,
      HOLDFAST_REDIS_URL: "off",
      HOLDFAST_ADMIN_KEY: "a-key-of-some-length",
    };
    const api = start({ ...shared, HOLDFAST_ROLE: "api" });
    const reconciler = start({ ...shared, HOLDFAST_ROLE: "reconciler" });
    expect((await fetch(`${await readyAt(api)}/health/live`)).status).toBe(200);
    while (!reconciler.text().includes("\n")) await once(reconciler.child.stdout as NodeJS.ReadableStream, "data");
    expect(reconciler.text()).toBe("Holdfast reconciler is ready\n");
    for (const { child } of [api, reconciler]) child.kill("SIGTERM");
    expect(await Promise.all([api.ended, reconciler.ended])).toEqual([0, 0]);
    await database.drop();
  });

  it.each([
    ["HOLDFAST_PORT", "eighty", "must be a whole number from 0 to 65535"],
    ["HOLDFAST_ROLE", "", "is empty: give it a value or unset it"],
    ["HOLDFAST_DATABASE_URL", "postgresql://127.0.0.1:1/none", "cannot be used: connect ECONNREFUSED 127.0.0.1:1"],
    [
      "HOLDFAST_DATA_DIR",
      "/dev/null/data",
      "cannot hold the embedded services: ENOTDIR: not a directory, mkdir '/dev/null/data'",
    ],
  ])("ends with one line and code 1 when %s is %j", async (name, value, problem) => {
    const run = start({ [name]: value });
    expect(await run.ended).toBe(1);
    expect(run.text()).toBe(`${name} ${problem}\n`);
  });

  it("ends with one line and code 1 when the port is taken, and still shows the admin key that it made", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const run = start({ HOLDFAST_PORT: String(port), HOLDFAST_DATA_DIR: freshFolder() });
    expect(await run.ended).toBe(1);
    expect(run.text()).toMatch(/^Admin key.*: hfa_\S+\nHOLDFAST_PORT is in use by another process\n$/);
    other.close();
  });
});
