import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { settingsTable, type Entry } from "#libs/config";
import { FLOW_STATUSES } from "#libs/flow";
import { PROBLEM_CODES, PROBLEMS } from "../apps/api/problems/table.js";
import { JUDGE_STATUSES } from "../libs/ledger/redis/index.js";

/** The house rules that a plain reading of the files can check; eslint and dependency-cruiser hold the others. */

const root = fileURLToPath(new URL("..", import.meta.url));
const skipped = [".git", ".holdfast", "coverage", "dist", "node_modules", "prisma/generated", "apps/console/generated"];
/** Read by nobody: npm run client:types writes it. */
const generated = ["libs/client/api/openapi.ts"];
const files = textFilesUnder(root);

function textFilesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (skipped.includes(relative(root, path)) || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return textFilesUnder(path);
    return /\.(png|ico|jpg|woff2?|log|tsbuildinfo)$/.test(entry.name) ? [] : [relative(root, path)];
  });
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function code(...folders: string[]): string[] {
  return files.filter(
    (file) => /\.(ts|tsx|mjs)$/.test(file) && folders.some((folder) => file.startsWith(`${folder}/`)),
  );
}

/** `file:line` of every line that matches. */
function linesWith(pattern: RegExp, among: readonly string[]): string[] {
  return among.flatMap((file) =>
    read(file)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
  );
}

describe("house rules", () => {
  it("sees the files that it judges", () => {
    expect(files).toEqual(
      expect.arrayContaining(["package.json", "apps/main.ts", "libs/config/settings.ts", "test/tidy.spec.ts"]),
    );
    expect(linesWith(/process\.env/, code("libs/config"))).not.toEqual([]);
  });

  it("reads the environment in libs/config alone", () => {
    const product = code("apps", "libs").filter((file) => !file.startsWith("libs/config/"));
    expect(linesWith(/process\.env|process\[['"]env|import .*\benv\b.*node:process/, product)).toEqual([]);
  });

  it("keeps clock and randomness out of the pure folders", () => {
    const pure = code("libs/ledger/domain", "libs/plan", "libs/flow/machines").filter(
      (file) => !file.endsWith(".spec.ts"),
    );
    expect(pure).not.toEqual([]);
    expect(linesWith(/Date\.now|Math\.random|new Date\(\)|\bperformance\.|\bcrypto\b|\bprocess\./, pure)).toEqual([]);
  });

  it("keeps Nest out of libs", () => {
    expect(linesWith(/@nestjs\//, code("libs"))).toEqual([]);
  });

  it("has no file over 300 lines", () => {
    const written = files.filter((file) => /\.(ts|tsx|mjs|cjs|js|lua|css)$/.test(file) && !generated.includes(file));
    expect(written.filter((file) => read(file).trimEnd().split("\n").length > 300)).toEqual([]);
  });

  it("has no Lua script over 80 lines under its header", () => {
    const scripts = files.filter((file) => file.endsWith(".lua"));
    const long = scripts.filter((file) => {
      const lines = read(file).trimEnd().split("\n");
      const header = lines.findIndex((line) => !line.startsWith("--"));
      return header < 1 || lines.length - header > 80;
    });
    expect(long).toEqual([]);
  });

  it("gives every setting a unit, a default and a line in the docs", () => {
    const page = read("docs/configuration.md");
    for (const entry of Object.values<Entry<string | number>>(settingsTable)) {
      expect(entry.unit).toBe(
        entry.env.endsWith("_MS")
          ? "ms"
          : entry.env.endsWith("_PORT")
            ? "port"
            : entry.env.endsWith("_DEPTH")
              ? "levels"
              : entry.env.endsWith("_KEPT")
                ? "rows"
                : entry.env.endsWith("_STREAMS")
                  ? "streams"
                  : "text",
      );
      expect(entry.fallback ?? entry.absent).toBeDefined();
      expect(page).toContain(`| \`${entry.env}\` | ${entry.unit} |`);
    }
  });

  it("has each error code in openapi.json and in an e2e test named by its status, and no other", () => {
    const openapi = read("openapi.json");
    const tests = code("test/e2e").map(read).join("\n");
    // A fault of the service: nothing that a client sends leads there, so no test does.
    const provoked = PROBLEM_CODES.filter((name) => name !== "internal");
    expect(PROBLEM_CODES.filter((name) => !openapi.includes(`"${name}"`))).toEqual([]);
    expect(provoked.filter((name) => !tests.includes(`"${PROBLEMS[name].status} ${name}`))).toEqual([]);
    const named = [...tests.matchAll(/"([45]\d\d) ([a-z_]+)["\s:]/g)].map(([, , name]) => name);
    expect(named.filter((name) => !(name! in PROBLEMS))).toEqual([]);
  });

  it("has each status of a script in its header and in its list in TypeScript", () => {
    const script = read("libs/ledger/redis/scripts/judge.lua");
    const inHeader = [...script.matchAll(/^--   ([a-z]+)  /gm)].map(([, status]) => status);
    const returned = [...script.split("local freshMs")[1]!.matchAll(/'([a-z]+)'/g)].map(([, status]) => status);
    expect(new Set(inHeader)).toEqual(new Set(JUDGE_STATUSES));
    expect(new Set(returned)).toEqual(new Set(JUDGE_STATUSES));
  });

  it("has each status of flow control's scripts in its header and in its list in TypeScript", () => {
    for (const [name, statuses] of Object.entries(FLOW_STATUSES)) {
      const script = read(`libs/flow/redis/scripts/${name}.lua`);
      const inHeader = [...script.matchAll(/^--   ([a-z]+)  /gm)].map(([, status]) => status);
      const body = script.replace(/^--.*$/gm, "");
      const returned = [...body.matchAll(/(?:\{|return|=|and|or) '([a-z]+)'(?! then)/g)].map(([, status]) => status);
      expect([name, inHeader]).toEqual([name, [...statuses]]);
      expect([name, new Set(returned)]).toEqual([name, new Set(statuses)]);
    }
    const scripts = files.filter((file) => /^libs\/flow\/.*scripts\/[a-z]+\.lua$/.test(file));
    expect(scripts).toHaveLength(Object.keys(FLOW_STATUSES).length);
  });

  it("begins with slow suites that there are", () => {
    const list = /SLOWEST = \[([^\]]*)\]/.exec(read("test/support/slowest-first.mjs"))![1]!;
    const suites = [...list.matchAll(/"(.+)"/g)].map(([, name]) => `test/${name}.spec.ts`);
    expect(suites.length).toBeGreaterThan(0);
    expect(suites.filter((suite) => !files.includes(suite))).toEqual([]);
  });

  it("names no package registry, in the lock file or anywhere else", () => {
    const registry = new RegExp(["registry", "(npmjs|yarnpkg|npmmirror)"].join("\\."));
    expect(linesWith(registry, files)).toEqual([]);
    expect(linesWith(/"resolved": "(?!libs\/|apps\/)/, ["package-lock.json"])).toEqual([]);
  });
});
