import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packed = join(root, "dist/client");
const MOST_BYTES = 25_000;

let folder: string;
let tarball: string;

function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")}: ${stdout}${stderr}`, { cause: error });
  }
}

beforeAll(() => {
  run(process.execPath, [join(root, "scripts/build-client.mjs")], root);
  folder = mkdtempSync(join(tmpdir(), "holdfast-client-"));
  run("npm", ["pack", packed, "--pack-destination", folder], root);
  tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".tgz"))!,
  );
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  readonly dependencies?: object;
  readonly peerDependencies?: object;
  readonly exports: Readonly<Record<string, unknown>>;
}
const manifest = (): Manifest => JSON.parse(readFileSync(join(packed, "package.json"), "utf8")) as Manifest;

/** Every entry that can be imported, without those that are files. */
const entries = (): string[] =>
  Object.keys(manifest().exports)
    .filter((name) => !name.endsWith(".json"))
    .map((name) => name.replace(".", "@holdfast/client"));

function filesOf(entry: unknown): string[] {
  return typeof entry === "string" ? [entry] : Object.values(entry as object).flatMap(filesOf);
}

/** An empty project that has nothing but the package. */
function project(type: "module" | "commonjs", files: Readonly<Record<string, string>>): string {
  const own = join(folder, type);
  mkdirSync(own);
  writeFileSync(join(own, "package.json"), JSON.stringify({ name: "empty", private: true, type }));
  const options = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(join(own, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text);
  cpSync(tarball, join(own, "client.tgz"));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--offline", "--cache", join(folder, "cache")];
  run("npm", ["install", "./client.tgz", ...quiet], own);
  return own;
}

const TYPED = `
  const holdfast = new Holdfast({ baseUrl: "http://127.0.0.1:1", apiKey: "k" });
  export async function enrich(accounts: string[]): Promise<number[]> {
    const report = await holdfast.fanOut(accounts, async (account, { use, signal }) => {
      signal.throwIfAborted();
      use({ tokens: 1 });
      return account.length;
    }, { attemptCost: { tokens: 10 } });
    return report.results.map((result) => (result.status === "done" ? result.value : 0));
  }
  // @ts-expect-error an amount is a number
  void holdfast.reservations.settle("rsv", { tokens: "1" });
  // @ts-expect-error there is no such state
  void holdfast.jobs.list({ state: "done" });
`;

it("needs no other package, and names every file that it exports", () => {
  const { dependencies, peerDependencies, exports } = manifest();
  expect(dependencies).toBeUndefined();
  expect(peerDependencies).toBeUndefined();
  const listed = run("tar", ["-tzf", tarball], folder).split("\n");
  for (const file of filesOf(exports)) expect(listed).toContain(file.replace("./", "package/"));
});

it(`is smaller than ${MOST_BYTES} bytes, gzipped, in its main entry with all that it loads`, () => {
  for (const main of ["index.mjs", "index.cjs"]) expect(loadedBytes(main)).toBeLessThan(MOST_BYTES);
});

/** Gzipped, with the files of the package that it imports. */
function loadedBytes(entry: string): number {
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(join(packed, file), "utf8");
    for (const [, name] of text.matchAll(/(?:from |require\()["']\.\/([^"']+)["']/g)) visit(name!);
  };
  visit(entry);
  return gzipSync([...files].map((file) => readFileSync(join(packed, file), "utf8")).join("")).length;
}

/** Every program of the docs, as it stands there. */
function documented(): [string, string][] {
  const pages = ["docs/client.md", "libs/client/package/README.md"];
  const programs = pages.flatMap((page) => [...readFileSync(join(root, page), "utf8").matchAll(/```ts\n(.*?)```/gs)]);
  const ofNode = `declare const process: { env: Record<string, string | undefined>; stdout: { write(part: unknown): void } };`;
  return [["node.d.ts", ofNode], ...programs.map(([, text], i): [string, string] => [`documented${i}.ts`, text!])];
}

/** The same in both kinds of project, but for how a package is loaded. */
function checkIn(type: "module" | "commonjs", load: "await import" | "require", more: [string, string][] = []): void {
  const imports = entries().map((name, i) => `import * as entry${i} from "${name}";\nvoid entry${i};\n`);
  const own = project(type, {
    "check.ts": `import { Holdfast } from "@holdfast/client";\n${imports.join("")}${TYPED}`,
    "load.js": `for (const name of ${JSON.stringify(entries())}) ${load}(name);
      const { Holdfast, AllowanceExhausted } = ${load}("@holdfast/client");
      new Holdfast({ baseUrl: "http://127.0.0.1:1", apiKey: "k" });
      console.log(AllowanceExhausted.name);`,
    ...Object.fromEntries(more),
  });
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], own);
  expect(run(process.execPath, ["load.js"], own)).toBe("AllowanceExhausted\n");
}

it("installs into an empty project of ES modules, type-checks and loads there, and so does what the docs show", () => {
  const programs = documented();
  expect(programs.length).toBeGreaterThan(4);
  checkIn("module", "await import", programs);
}, 60_000);

it("installs into an empty project of CommonJS, type-checks and loads there", () => {
  checkIn("commonjs", "require");
}, 60_000);
