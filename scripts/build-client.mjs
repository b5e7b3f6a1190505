// Builds the package of the client in dist/client: ES modules and CommonJS, each with its types. `npm pack ./dist/client`
// makes the file to publish.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";
import { root } from "./common.mjs";

const source = join(root, "libs/client");
const target = join(root, "dist/client");
const manifest = join(source, "package");

await build({
  config: false,
  cwd: root,
  entry: entries(),
  outDir: target,
  format: ["esm", "cjs"],
  fixedExtension: true,
  platform: "neutral",
  target: "node20.19",
  dts: { sourcemap: false },
  tsconfig: join(root, "tsconfig.json"),
  // The machines are bundled from their source, as everything else is.
  alias: { "#libs/flow/machines": join(root, "libs/flow/machines/index.ts") },
  deps: { neverBundle: [/^node:/] },
  clean: true,
  report: false,
  logLevel: "error",
});
cpSync(manifest, target, { recursive: true });
const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const file = join(target, "package.json");
writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version, license }, null, 2)}\n`);

/** The main entry, the guards for one process, and each adapter. */
function entries() {
  const found = { index: "libs/client/index.ts" };
  if (existsSync(join(source, "local/index.ts"))) found.local = "libs/client/local/index.ts";
  const adapters = join(source, "adapters");
  for (const name of existsSync(adapters) ? readdirSync(adapters) : []) {
    const [, adapter] = /^(\w+)\.ts$/.exec(name) ?? [];
    if (adapter) found[`adapters/${adapter}`] = `libs/client/adapters/${name}`;
  }
  return found;
}
