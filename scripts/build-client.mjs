// Builds the package of the client in dist/client: ES modules and CommonJS, each with its types. `npm pack ./dist/client`
// makes the file to publish.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";
import { root } from "./common.mjs";

const source = join(root, "libs/client");
const target = join(root, "dist/client");
const entry = entries();

await build({
  config: false,
  cwd: root,
  entry,
  outDir: target,
  format: ["esm", "cjs"],
  fixedExtension: true,
  platform: "neutral",
  target: "node20.19",
  dts: { sourcemap: false },
  // An editor reads what is said of a name from its types.
  outputOptions: { comments: { jsdoc: false } },
  tsconfig: join(root, "tsconfig.json"),
  // What other libraries give is bundled from its source, as everything else is.
  alias: Object.fromEntries(
    ["flow/machines", "plan"].map((lib) => [`#libs/${lib}`, join(root, `libs/${lib}/index.ts`)]),
  ),
  deps: { neverBundle: [/^node:/] },
  clean: true,
  report: false,
  logLevel: "error",
});
cpSync(join(source, "package"), target, { recursive: true });
const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const manifest = join(target, "package.json");
const complete = { ...JSON.parse(readFileSync(manifest, "utf8")), version, license, exports: exports() };
writeFileSync(manifest, `${JSON.stringify(complete, null, 2)}\n`);

/** Each entry as a module and as CommonJS, with the types of its own kind. */
function exports() {
  const kind = (name, letter) => ({ types: `./${name}.d.${letter}ts`, default: `./${name}.${letter}js` });
  const named = Object.keys(entry).map((name) => [
    name === "index" ? "." : `./${name}`,
    { import: kind(name, "m"), require: kind(name, "c") },
  ]);
  return Object.fromEntries([...named, ["./package.json", "./package.json"]]);
}

/** The main entry, the guards for one process, and each adapter. */
function entries() {
  const adapters = readdirSync(join(source, "adapters")).filter((name) => /^\w+\.ts$/.test(name));
  return {
    index: "libs/client/index.ts",
    local: "libs/client/local/index.ts",
    ...Object.fromEntries(adapters.map((name) => [`adapters/${name.slice(0, -3)}`, `libs/client/adapters/${name}`])),
  };
}
