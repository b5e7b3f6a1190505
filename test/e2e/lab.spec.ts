import { readdirSync } from "node:fs";
import { freshDatabase, freshFolder, type FreshDatabase } from "../support/services.js";
import { runProgram, startProcess, type HoldfastProcess } from "../support/program.js";

let database: FreshDatabase;
let holdfast: HoldfastProcess;

beforeAll(async () => {
  database = await freshDatabase();
  holdfast = await startProcess({ HOLDFAST_DATABASE_URL: database.url, HOLDFAST_REDIS_URL: "off" });
});
afterAll(async () => {
  await holdfast?.end("SIGTERM");
  await database?.drop();
});

const lab = (options: readonly string[], key = holdfast.adminKey) =>
  runProgram("lab/main.js", ["--json", "--url", holdfast.url, "--admin-key", key, ...options]);

interface Document {
  readonly decisions: readonly { readonly outcome: string; readonly scope: string | null }[];
  readonly totals: Record<string, number>;
  readonly differences: readonly unknown[];
}

describe("the lab's command line against a running Holdfast", () => {
  it.each([
    [
      "the baseline",
      "",
      { admitted: 4, denied: 2, reserved: 480, consumed: 480, overAllowance: 0 },
      ["tenant", "tenant"],
    ],
    [
      "observe mode",
      "--mode observe",
      { admitted: 6, denied: 0, reserved: 720, consumed: 720, overAllowance: 220 },
      [],
    ],
    ["a job allowance of 100", "--job-allowance 100", { admitted: 0, denied: 6, reserved: 0 }, Array(6).fill("job")],
    ["two children", "--children 2", { admitted: 6, denied: 0, reserved: 480 }, []],
    ["one attempt", "--attempts 1", { admitted: 6, denied: 0, reserved: 360 }, []],
  ])("decides %s as the model predicts, and exits 0", async (_name, options, totals, deniedBy: string[]) => {
    const run = await lab(options.split(" ").filter(Boolean));
    expect([run.code, run.err]).toEqual([0, ""]);
    const document = JSON.parse(run.out) as Document;
    expect(document.differences).toEqual([]);
    expect(document.totals).toMatchObject(totals);
    expect(document.decisions.filter(({ outcome }) => outcome === "denied").map(({ scope }) => scope)).toEqual(
      deniedBy,
    );
  });

  it("leaves no live tenant behind", async () => {
    expect((await lab([])).code).toBe(0);
    const { status, body } = await holdfast.call(holdfast.adminKey, "GET", "/v1/admin/tenants");
    expect(status).toBe(200);
    const live = (body.data as { name: string; state: string }[]).filter(({ state }) => state !== "deleted");
    expect(live).toEqual([]);
  });

  it.each([
    [["--jobs", "0"], '--jobs must be a whole number from 1 to 100, not "0"\n'],
    [["--jobs", "101"], '--jobs must be a whole number from 1 to 100, not "101"\n'],
    [["--children", "-1"], '--children must be a whole number from 1 to 100, not "-1"\n'],
    [["--attempts", "2.5"], '--attempts must be a whole number from 1 to 20, not "2.5"\n'],
    [["--cost", "1e3"], '--cost must be a whole number from 1 to 10000, not "1e3"\n'],
    [["--job-allowance", "many"], '--job-allowance must be a whole number from 0 to 10000000, not "many"\n'],
    [["--tenant-allowance="], '--tenant-allowance must be a whole number from 0 to 10000000, not ""\n'],
    [["--mode", "maybe"], '--mode must be enforce or observe, not "maybe"\n'],
  ])("refuses %j before it calls anything, names the range and exits 2", async (options, line) => {
    expect(await lab(options)).toEqual({ code: 2, out: "", err: line });
  });

  it("exits 1 with one line, which does not repeat the key, when the admin key is wrong", async () => {
    const run = await lab([], "not-the-admin-key");
    expect(run).toEqual({ code: 1, out: "", err: `Holdfast at ${holdfast.url} does not know the key (401)\n` });
  });
});

describe("the lab's command line without a Holdfast", () => {
  it("starts one for the run, decides the baseline as the model predicts, and leaves nothing of it behind", async () => {
    const folder = freshFolder();
    const elsewhere = { HOLDFAST_DATABASE_URL: "postgresql://127.0.0.1:1/must-not-be-used" };
    const run = await runProgram("lab/main.js", ["--json"], { TMPDIR: folder, ...elsewhere });
    expect([run.code, run.err]).toEqual([0, ""]);
    const { differences, totals } = JSON.parse(run.out) as Document;
    expect(differences).toEqual([]);
    expect(totals).toMatchObject({ admitted: 4, denied: 2, reserved: 480 });
    expect(readdirSync(folder)).toEqual([]);
  }, 60_000);
});
