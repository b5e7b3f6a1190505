/** Writes openapi.json; with --check, exits with 1 where the file is not what the code describes. Needs no services. */
import "reflect-metadata";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { AppModule, type ApiParts } from "../app.module.js";
import { describe } from "./document.js";

/** From dist/apps/api/openapi. */
const file = fileURLToPath(new URL("../../../../openapi.json", import.meta.url));

/** Nothing is called: the document comes from what the classes say of themselves. */
const NO_PARTS = {
  ledger: {},
  record: {},
  authenticator: {},
  readiness: {},
  runner: {},
  jobLimits: {},
  log: {},
} as unknown as ApiParts;

async function main(check: boolean): Promise<number> {
  const app = await NestFactory.create(AppModule.of(NO_PARTS), new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  const document = `${JSON.stringify(describe(app), null, 2)}\n`;
  await app.close();
  if (!check) writeFileSync(file, document);
  else if (readFileSync(file, "utf8") !== document) {
    console.error("openapi.json is not what the code describes: run npm run openapi");
    return 1;
  }
  return 0;
}

process.exitCode = await main(process.argv.includes("--check"));
