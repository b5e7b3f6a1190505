import { readFileSync } from "node:fs";
import type { Cluster, Redis } from "ioredis";
import type { Answer, Batch } from "./batch.js";

/** The scripts, and the statuses of each in order of precedence. */
export const FLOW_STATUSES = {
  permit: ["refused", "granted", "waiting"],
  finish: ["gone", "finished"],
  heartbeat: ["gone", "kept"],
  leave: ["left", "absent"],
  nudge: ["unknown", "known"],
  breaker: ["open", "closed"],
  show: ["seen"],
  giveback: ["gone", "given"],
} as const;

export type ScriptName = keyof typeof FLOW_STATUSES;

/** What a client calls them by. */
const COMMANDS = Object.fromEntries(
  Object.keys(FLOW_STATUSES).map((name) => [name, `holdfastFlow${name[0]!.toUpperCase()}${name.slice(1)}`]),
) as Record<ScriptName, string>;

const INCLUDE = /^-- @include (\w+)\n/gm;

/** Source of a script, each include set in once and before what needs it. */
export function scriptSource(name: ScriptName): string {
  const seen = new Set<string>();
  const expand = (file: string): string =>
    read(file).replace(INCLUDE, (_, include: string) => {
      if (seen.has(include)) return "";
      seen.add(include);
      return expand(`includes/${include}`);
    });
  return expand(name);
}

/** Makes the scripts known to a client; it sends a script's name, and its text where the server has lost it. */
export function defineScripts(client: Redis | Cluster): void {
  for (const name of Object.keys(FLOW_STATUSES) as ScriptName[]) {
    client.defineCommand(COMMANDS[name], { lua: scriptSource(name) });
  }
}

/** Runs a script over what is asked of it. */
export function runScript(client: Redis | Cluster, name: ScriptName, batch: Batch): Promise<readonly Answer[]> {
  const commands = client as unknown as Record<string, (...args: unknown[]) => Promise<readonly Answer[]>>;
  return commands[COMMANDS[name]]!(batch.keys.length, ...batch.keys, batch.text());
}

function read(name: string): string {
  return readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), "utf8");
}
