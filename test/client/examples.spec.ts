import { startHoldfast, type Holdfast } from "../support/http.js";
import { runProgram } from "../support/program.js";
import { redisUrl } from "../support/services.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
}, 60_000);
afterAll(() => holdfast?.stop());

/** What an example prints: its bar, the rows of its table and the line on the balance. */
async function run(example: string, size: number): Promise<{ bar: string; rows: string[][]; spent: number }> {
  const args = ["--url", holdfast.url, "--admin-key", holdfast.adminKey, "--size", String(size), "--redis", redisUrl()];
  const { code, out, err } = await runProgram(`../examples/${example}.js`, args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const [bar = "", , , ...table] = out.trimEnd().split("\n");
  const balance = /^usd_micros: limit (\d+), spent (\d+), reserved (\d+)$/.exec(table.pop()!)!;
  const [limit, spent, reserved] = balance.slice(1).map(Number) as [number, number, number];
  expect(reserved).toBe(0);
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(limit);
  return { bar, rows: table.map((row) => row.split(/ {2,}/)), spent };
}

it("enriching accounts finishes what fits the budget, and tells the rest and all that was spent", async () => {
  const { bar, rows, spent } = await run("enrich", 40);
  expect(bar).toMatch(/^accounts \[#{30}] 40\/40 /);
  const items = Object.fromEntries(rows.map(([status, count]) => [status, Number(count)]));
  expect(items["denied"]).toBe(2);
  expect(items["done"]! + items["failed"]!).toBe(38);
  expect(rows.reduce((sum, row) => sum + Number(row[3]), 0)).toBe(spent);
}, 60_000);

it("an agent and its sub-agents together spend no more than the first grant", async () => {
  const { bar, rows, spent } = await run("agent", 6);
  expect(bar).toMatch(/^agents \[#{30}] 6\/6 /);
  expect(rows).toHaveLength(6);
  for (const [, grant, spentByTree] of rows) expect(Number(spentByTree)).toBeLessThanOrEqual(Number(grant));
  expect(Number(rows[0]![2])).toBe(spent);
}, 60_000);

it("a queue worker ends every job, each within its plan", async () => {
  const { bar, rows } = await run("queue", 12);
  expect(bar).toMatch(/^queue jobs \[#{30}] 12\/12$/);
  const [completed, failed] = rows.map(([, jobs, attempts]) => [Number(jobs), Number(attempts)] as const);
  expect(completed![0] + failed![0]).toBe(12);
  expect(completed![1] + failed![1]).toBeLessThanOrEqual(36);
}, 60_000);
