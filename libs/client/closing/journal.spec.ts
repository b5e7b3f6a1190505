import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Closing } from "./facts.js";
import { Journal } from "./journal.js";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
  path = join(folder, "journal");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const closing = (reservationId: string): Closing => ({ reservationId, finishes: [], actual: { tokens: 1 } });

describe("a journal", () => {
  it("loses nothing where several clients of a process have the same file", async () => {
    for (let round = 0; round < 50; round += 1) {
      const [tidying, keeping] = [new Journal(path), new Journal(path)];
      await keeping.keep(closing("a"));
      await tidying.told(closing("a"));
      await Promise.all([tidying.tidy(), keeping.keep(closing(`b${round}`))]);
      expect(await tidying.open()).toContainEqual(closing(`b${round}`));
      await keeping.told(closing(`b${round}`));
    }
  });

  it("passes over what nobody wrote, and keeps the rest", async () => {
    const journal = new Journal(path);
    await journal.keep(closing("a"));
    for (const line of [
      "null",
      "[]",
      "5",
      "{",
      '{"v":2,"keep":{}}',
      '{"v":1,"keep":null}',
      '{"v":1,"keep":{"finishes":[]}}',
    ])
      appendFileSync(path, `\n${line}`);
    await journal.keep(closing("b"));
    expect(await journal.open()).toEqual([closing("a"), closing("b")]);
  });

  it("takes its file away when nothing is left to tell", async () => {
    const journal = new Journal(path);
    await journal.keep(closing("a"));
    await journal.tidy();
    expect(existsSync(path)).toBe(true);
    await journal.told(closing("a"));
    await journal.tidy();
    expect(existsSync(path)).toBe(false);
  });
});
