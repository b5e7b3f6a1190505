// Sets up what is missing, then runs one program of dist/ in this process: node scripts/run.mjs apps/lab/main.js …
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./common.mjs";
import { setUp } from "./setup.mjs";

await setUp();
const [program] = process.argv.splice(2, 1);
const file = join(root, "dist", program);
process.argv[1] = file;
await import(pathToFileURL(file).href);
