import { transform } from "@swc/core";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Mutation } from "./mutation.js";

const COMPILED = ["libs", "apps/reconciler", "test/simulation", "test/support"];

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** A copy of the compiled tree in `folder`, with the edits compiled into it. */
export async function makeMutant(root: string, folder: string, { edits }: Pick<Mutation, "edits">): Promise<void> {
  for (const part of COMPILED) cpSync(join(root, "dist", part), join(folder, "dist", part), { recursive: true });
  const { type, imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type, imports }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const { $schema: _, ...compiler } = JSON.parse(readFileSync(join(root, ".swcrc"), "utf8")) as Record<string, unknown>;
  const sources = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const source = sources.get(file) ?? readFileSync(join(root, file), "utf8");
    if (source.split(from).length !== 2) throw new Error(`${file} has not exactly once: ${from}`);
    sources.set(
      file,
      source.replace(from, () => to),
    );
  }
  for (const [file, source] of sources) {
    const { code } = await transform(source, { ...compiler, swcrc: false, filename: file });
    writeFileSync(join(folder, "dist", file.replace(/\.ts$/, ".js")), code);
  }
}

/** Runs the simulation of the tree in `folder`. */
export async function simulate(folder: string, args: readonly string[]): Promise<Ran> {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "dist/test/simulation/main.js");
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args]);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
