import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command that only shows its output when it fails, which ends this process. */
export function run(command, args, problem, env = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", env: { ...process.env, ...env } });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}\n`);
  fail(`${problem} (${basename(command)} ${args.at(-1)})`);
}

/** Progress goes to the error output; the standard output belongs to the program that is run. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

export function fail(line) {
  say(line);
  process.exit(1);
}
