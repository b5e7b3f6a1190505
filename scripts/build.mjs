// Compiles TypeScript into dist/ with the tree kept, file by file: only what changed, and every file whole or not at all.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fail, root } from "./common.mjs";

const sources = ["apps", "examples", "libs", "prisma/generated", "test"];
const copied = /\.(lua|sql|html|css|svg|json)$/;
const ignored = /(^|[\\/])(node_modules|dist)([\\/]|$)|^apps[\\/]console([\\/]|$)|\.spec\.ts$|\.d\.ts$|\.stamp$/;
const dist = join(root, "dist");
const stampFile = join(dist, ".compiler");

export async function build() {
  const fresh = freshCompiler();
  const wanted = new Set([".compiler", ".tsbuildinfo"]);
  const stale = [];
  for (const file of sources.flatMap((folder) => filesUnder(join(root, folder)))) {
    const name = relative(root, file);
    if (ignored.test(name) || !(name.endsWith(".ts") || copied.test(name))) continue;
    const target = name.replace(/\.ts$/, ".js");
    wanted.add(target);
    if (name.endsWith(".ts")) wanted.add(`${target}.map`);
    if (!fresh || !isCurrent(file, join(dist, target))) stale.push({ file, target: join(dist, target) });
  }
  removeOthers(wanted);
  if (stale.length > 0) await compileAll(stale);
  if (!fresh) writeFileSync(stampFile, compilerStamp());
}

function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules") yield* walk(path);
    } else yield path;
  }
}

function filesUnder(folder) {
  return existsSync(folder) ? [...walk(folder)] : [];
}

/** The output carries the time of its source: equal means current, however the clock or a checkout set it. */
function isCurrent(file, target) {
  const output = statSync(target, { throwIfNoEntry: false });
  return output !== undefined && Math.abs(output.mtimeMs - statSync(file).mtimeMs) < 2;
}

function removeOthers(wanted) {
  for (const file of filesUnder(dist)) {
    const name = relative(dist, file);
    const ours = sources.some((source) => name.startsWith(source.split("/").join(sep) + sep));
    if (ours && !wanted.has(name) && !name.endsWith(".tmp") && !name.startsWith(join("apps", "console"))) rmSync(file);
  }
}

async function compileAll(stale) {
  const swc = await import("@swc/core");
  const options = JSON.parse(readFileSync(join(root, ".swcrc"), "utf8"));
  const failures = [];
  await Promise.all(
    stale.map(async ({ file, target }) => {
      mkdirSync(dirname(target), { recursive: true });
      const { mtimeMs } = statSync(file);
      if (!file.endsWith(".ts")) return place(target, mtimeMs, (draft) => copyFileSync(file, draft));
      try {
        const { code, map } = await swc.transformFile(file, {
          ...options,
          $schema: undefined,
          swcrc: false,
          sourceFileName: relative(dirname(target), file),
        });
        const mapName = `${target}.map`;
        place(mapName, mtimeMs, (draft) => writeFileSync(draft, map ?? ""));
        place(target, mtimeMs, (draft) =>
          writeFileSync(draft, `${code}\n//# sourceMappingURL=${relative(dirname(target), mapName)}\n`),
        );
      } catch (error) {
        failures.push(`${relative(root, file)}: ${error.message}`);
      }
    }),
  );
  if (failures.length > 0) fail(failures.join("\n"));
}

/** Writes beside and renames, so that a process that starts meanwhile never reads half a file. */
function place(target, mtimeMs, write) {
  const draft = `${target}.${process.pid}.tmp`;
  write(draft);
  utimesSync(draft, mtimeMs / 1000, mtimeMs / 1000);
  renameSync(draft, target);
}

function freshCompiler() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === compilerStamp();
}

function compilerStamp() {
  const compiler = readFileSync(join(root, "node_modules/@swc/core/package.json"));
  return createHash("sha256")
    .update(compiler)
    .update(readFileSync(join(root, ".swcrc")))
    .digest("hex");
}
