// Writes the types of the client from openapi.json: the tenant's routes and what they name. With --check: exits with 1
// where the file is not what openapi.json says.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import { format } from "prettier";
import { fail, root } from "./common.mjs";

const file = join(root, "libs/client/api/openapi.ts");
const problems = ["ProblemView", "DenialProblemView", "ShedProblemView"].map((name) => `#/components/schemas/${name}`);
const header = "// Written by npm run client:types from openapi.json; not to be edited.\n\n";

const document = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
const text = await typesOf(forTenants(document));
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (!existsSync(file) || readFileSync(file, "utf8") !== text)
  fail("libs/client/api/openapi.ts is not what openapi.json says: run npm run client:types");

/** The document without what a tenant's key does not open. Refusals are the same everywhere: of them the bodies alone. */
function forTenants({ paths, components, ...rest }) {
  const kept = Object.entries(paths).map(([path, item]) => [path, tenantOperations(item)]);
  const tenantPaths = Object.fromEntries(kept.filter(([, item]) => Object.keys(item).length > 0));
  return { ...rest, paths: tenantPaths, components: { schemas: namedBy([tenantPaths, problems], components) } };
}

function tenantOperations(item) {
  const ofTenants = Object.entries(item).filter(([, { tags }]) => tags?.includes("tenant"));
  return Object.fromEntries(ofTenants.map(([method, operation]) => [method, withoutRefusals(operation)]));
}

function withoutRefusals({ responses, ...rest }) {
  return { ...rest, responses: Object.fromEntries(Object.entries(responses).filter(([status]) => status < 300)) };
}

/** The schemas that the paths name, or a schema that they name. */
function namedBy(paths, { schemas }) {
  const named = new Set();
  const visit = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (named.has(name)) continue;
      named.add(name);
      visit(schemas[name]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => named.has(name)));
}

async function typesOf(tenantDocument) {
  const nodes = await openapiTS(tenantDocument);
  const used = nodes.filter(({ name }) => ["components", "operations"].includes(name?.text));
  return format(header + astToString(used), { parser: "typescript", printWidth: 120 });
}
