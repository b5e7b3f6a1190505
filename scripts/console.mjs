// Bundles apps/console into dist/apps/console with Vite, when its sources or its packages are other ones than at the
// last time. The API serves the files as they are: each also packed, since nothing packs them on their way.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { root, say } from "./common.mjs";

const source = join(root, "apps/console");
const target = join(root, "dist/apps/console");
const types = join(source, "generated/openapi.d.ts");
const openapi = join(root, "openapi.json");
/** What a change of the bundle can come from. */
const inputs = ["apps/console", "libs/plan", "libs/client", "package-lock.json", "scripts/console.mjs"];
const notBundled = /\.spec\.ts$|\.md$|[\\/]generated[\\/]/;
const packed = /\.(js|css|html|svg)$/;

export async function buildConsole() {
  await writeApiTypes();
  const stamp = stampOf(
    inputs.flatMap((name) => filesUnder(join(root, name))).filter((file) => !notBundled.test(file)),
  );
  if (readIfThere(join(target, ".stamp")) === stamp) return;
  say("Bundling the console …");
  const draft = `${target}.${process.pid}.tmp`;
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: source,
    logLevel: "warn",
    resolve: { alias: [{ find: /^#libs\/(\w+)$/, replacement: join(root, "libs/$1/index.ts") }] },
    build: {
      outDir: draft,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // The client loads modules of Node for what the console leaves out.
      rolldownOptions: { onLog: withoutDirectives, external: [/^node:/] },
    },
  });
  for (const file of filesUnder(draft).filter((name) => packed.test(name))) {
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
  }
  writeFileSync(join(draft, ".stamp"), stamp);
  // A process that starts meanwhile finds the old files or the new ones, and only for an instant none.
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another set-up of the same sources was quicker.
    if (error.code !== "ENOTEMPTY") throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Libraries mark files for servers that render; here nothing is rendered on a server. */
function withoutDirectives(level, log, handle) {
  if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
}

/** The types of the API for the console, from the document that describes it. */
async function writeApiTypes() {
  const stamp = `// ${stampOf([openapi])}\n`;
  if (readIfThere(types)?.startsWith(stamp)) return;
  const { default: openapiTypes, astToString } = await import("openapi-typescript");
  mkdirSync(join(source, "generated"), { recursive: true });
  writeFileSync(types, stamp + astToString(await openapiTypes(JSON.parse(readFileSync(openapi, "utf8")))));
}

function stampOf(files) {
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(relative(root, file)).update("\0").update(readFileSync(file));
  return hash.digest("hex");
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
