// npm test: sets up what is missing, then runs Jest with the arguments given: npm test -- test/model
// With --pure: only the specs beside the code, without any service.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./common.mjs";
import { setUp } from "./setup.mjs";

await setUp();
const pure = process.argv.includes("--pure");
const args = process.argv.slice(2).filter((arg) => arg !== "--pure");
const jest = [
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
  join(root, "node_modules/jest/bin/jest.js"),
];
const config = ["--config", join(root, pure ? "jest.pure.config.mjs" : "jest.config.mjs")];
const child = spawn(process.execPath, [...jest, ...config, ...args], { cwd: root, stdio: "inherit" });
// Jest gets Ctrl-C from the terminal itself; this process only waits for it.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
