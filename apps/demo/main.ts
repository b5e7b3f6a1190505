/** `npm run demo`: fills a running Holdfast with tenants, jobs, denials, an open breaker and a late settle. */
import { parseArgs } from "node:util";
import { makeOthers } from "./others.js";
import { DemoError, Operator } from "./operator.js";
import { makeResearch } from "./research.js";
import { makeServices } from "./services.js";

const USAGE = "npm run demo -- --admin-key KEY [--url http://127.0.0.1:8080] [--crowd 12] [--json]";
const MOST_CROWD = 5_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: "string", default: "http://127.0.0.1:8080" },
      "admin-key": { type: "string" },
      crowd: { type: "string", default: "12" },
      json: { type: "boolean", default: false },
    },
  });
  const key = values["admin-key"];
  const crowd = Number(values.crowd);
  if (key === undefined || !Number.isInteger(crowd) || crowd < 0 || crowd > MOST_CROWD) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const operator = new Operator(values.url.replace(/\/+$/, ""), key);
  await makeServices(operator);
  const research = await makeResearch(operator);
  const tenants = [research, ...(await makeOthers(operator, crowd))];
  await operator.call("POST", "/reconcile", { tasks: ["audit"] });
  process.stdout.write(values.json ? `${JSON.stringify({ tenants })}\n` : summary(tenants));
  return 0;
}

function summary(tenants: readonly { readonly name: string; readonly key: string }[]): string {
  const [first] = tenants;
  return `${tenants.length} tenants were made. Sign in with the operator's key, or as ${first?.name} with\n${first?.key}\n`;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof DemoError || error instanceof TypeError ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  },
);
