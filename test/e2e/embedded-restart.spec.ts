import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/record.js";
import { startProcess, tenantWithJob, type HoldfastProcess } from "../support/program.js";
import { freshFolder } from "../support/services.js";

let folder: string;
let holdfast: HoldfastProcess;
beforeAll(async () => {
  folder = freshFolder();
  holdfast = await startProcess({ HOLDFAST_DATA_DIR: folder });
}, 60_000);
afterAll(() => holdfast?.end("SIGTERM"));

const pidIn = (file: string) => Number.parseInt(readFileSync(join(folder, file), "utf8"), 10);

it.each(["postgres/data/postmaster.pid", "redis/redis.pid"])(
  "starts an embedded server again that was killed, and loses nothing acknowledged (%s)",
  async (pidFile) => {
    const { key, job } = await tenantWithJob(holdfast, 100);
    const path = `/v1/jobs/${job}/reservations`;
    const held = await holdfast.call(key, "POST", path, { amounts: { units: 60 } }, "before");
    const pid = pidIn(pidFile);
    process.kill(pid, "SIGKILL");
    await eventually(() => Promise.resolve(pidIn(pidFile) !== pid), 20_000);
    await eventually(async () => {
      // The status is that of the last call to Redis, and without traffic there is none.
      await holdfast.call(key, "POST", path, { amounts: { units: 1 }, dryRun: true });
      const { status, body } = await holdfast.call(key, "GET", "/health/ready");
      return status === 200 && (body["checks"] as { redis: { status: string } }).redis.status === "used";
    }, 20_000);
    const again = await holdfast.call(key, "POST", path, { amounts: { units: 60 } }, "before");
    expect(again.body).toEqual(held.body);
    expect((await holdfast.call(key, "POST", path, { amounts: { units: 60 } }, "after")).status).toBe(402);
  },
);

it("leaves no server behind when it stops", async () => {
  const pids = [pidIn("postgres/data/postmaster.pid"), pidIn("redis/redis.pid")];
  await holdfast.end("SIGTERM");
  // One that has ended and that nobody has waited for yet is still listed, as Z.
  const list = execFileSync("ps", ["-e", "-o", "pid=,stat="], { encoding: "utf8" }).trim().split("\n");
  const alive = list.map((line) => line.trim().split(/\s+/)).filter(([, state]) => !state!.startsWith("Z"));
  expect(alive.filter(([pid]) => pids.includes(Number(pid)))).toEqual([]);
});
