import { readFileSync } from "node:fs";

const { $schema: _, ...compiler } = JSON.parse(readFileSync(new URL(".swcrc", import.meta.url), "utf8"));

/** Run through `npm test`, which sets up the tree and gives Node the flag that ES modules need inside Jest. */
export default {
  testEnvironment: "node",
  roots: ["<rootDir>/apps", "<rootDir>/libs", "<rootDir>/test"],
  testMatch: ["**/*.spec.ts"],
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/bench/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "^.+\\.ts$": ["@swc/jest", { ...compiler, swcrc: false, sourceMaps: "inline" }] },
  moduleNameMapper: { "^#libs/(.*)$": "<rootDir>/libs/$1/index.ts", "^(\\.{1,2}/.*)\\.js$": "$1" },
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
  globalSetup: "<rootDir>/test/support/services-start.mjs",
  globalTeardown: "<rootDir>/test/support/services-stop.mjs",
  testSequencer: "<rootDir>/test/support/slowest-first.mjs",
  maxWorkers: 2,
  maxConcurrency: 2,
  testTimeout: 30_000,
};
