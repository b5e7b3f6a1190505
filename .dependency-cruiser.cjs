/**
 * Who may import whom. Patterns are paths from the root of the repository; a group of `from` is used in `to` as $1.
 * Types count as imports: what a type knows, its author knows.
 */
const spec = "\\.spec\\.ts$";
const npm = "^node_modules/";
const npmOf = (name) => `^node_modules/(@types/)?${name}/`;
/** Node's own modules. */
const core = Symbol("core");

/** `folder` may import itself and what `allowed` names, and nothing else. */
const only = (name, folder, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: folder, pathNot: spec },
  to: {
    pathNot: [folder, ...allowed.filter((path) => path !== core)],
    ...(allowed.includes(core) && { dependencyTypesNot: ["core"] }),
  },
});

const never = (name, from, to, comment) => ({ name, comment, severity: "error", from: { pathNot: spec, ...from }, to });

module.exports = {
  forbidden: [
    { name: "no-cycle", severity: "error", from: {}, to: { circular: true } },
    { name: "resolves", severity: "error", from: {}, to: { couldNotResolve: true } },

    only(
      "domain-is-pure",
      "^libs/ledger/domain/",
      ["^libs/plan/index\\.ts$"],
      "The rules know no clock, no driver, no framework.",
    ),
    only("plan-is-pure", "^libs/plan/", [], "The arithmetic also runs in the browser."),
    only(
      "protocol",
      "^libs/ledger/protocol/",
      ["^libs/ledger/domain/", core],
      "The protocol runs over simulated stores: it knows them by ports alone.",
    ),
    only(
      "ledger-postgres",
      "^libs/ledger/postgres/",
      ["^libs/ledger/(domain|protocol/ports)", npmOf("pg"), core],
      "Loads, locks and stores; knows no other store.",
    ),
    only(
      "ledger-redis",
      "^libs/ledger/redis/",
      ["^libs/ledger/(domain|protocol/ports)", "^libs/redis/index\\.ts$", npmOf("ioredis"), core],
      "Remembers; knows no other store.",
    ),
    only("config", "^libs/config/", [core], "Settings come first and depend on nothing."),
    only("embedded", "^libs/embedded/", [npmOf("pg"), core], "Starts services; knows nothing of what they hold."),
    only("redis", "^libs/redis/", [npmOf("ioredis"), core], "The way to Redis; knows nothing of what is kept there."),
    only(
      "telemetry",
      "^libs/telemetry/",
      ["^libs/(ledger|flow)/index\\.ts$", npmOf("pg"), npmOf("prom-client"), `${npm}@opentelemetry/`, core],
      "Counts and traces what other libs tell.",
    ),
    never(
      "figures-in-telemetry-alone",
      { path: "^(apps|libs)/(?!telemetry/)" },
      { path: `${npm}(prom-client|@opentelemetry)/` },
      "The others tell a port of their own.",
    ),
    only("flow", "^libs/flow/", [npmOf("ioredis"), core], "Flow control knows no ledger."),
    only("webhooks", "^libs/webhooks/", [core], "Signs, checks addresses and sends; knows no record and no queue."),
    only("flow-machines-are-pure", "^libs/flow/machines/", [], "They also decide in the browser and in the client."),
    only(
      "client",
      "^libs/client/",
      ["^libs/(plan|flow/machines)/index\\.ts$", core],
      "The published client contains no server code and no driver.",
    ),
    only(
      "lab",
      "^apps/lab/",
      ["^libs/(plan|embedded|config)/index\\.ts$", core],
      "The lab uses the public API, as any client does.",
    ),
    only(
      "demo",
      "^apps/demo/",
      ["^libs/client/index\\.ts$", core],
      "The demo uses the public API, as any client does.",
    ),
    only(
      "console",
      "^apps/console/",
      ["^libs/(plan|client)/index\\.ts$", npm],
      "The console uses the public API, as any client does.",
    ),

    never("no-nest-in-libs", { path: "^libs/" }, { path: "^node_modules/@nestjs/" }, "Nest stays inside apps/."),
    never("no-apps-in-libs", { path: "^libs/" }, { path: "^apps/" }),
    never("no-tests-in-product", { path: "^(apps|libs)/" }, { path: "^test/" }),
    never(
      "apps-apart",
      { path: "^apps/([^/]+)/" },
      { path: "^apps/[^/]+", pathNot: "^apps/$1/" },
      "Only apps/main.ts puts the apps together.",
    ),
    never("no-client-in-server", { path: "^apps/(api|reconciler)/" }, { path: "^libs/client/" }),
    never(
      "lib-by-its-index",
      { path: "^(apps|libs)/([^/]+)" },
      { path: "^libs/[^/]+/", pathNot: ["^libs/([^/]+|flow/machines)/index\\.ts$", "^$1/$2/"] },
      "The machines have an entry of their own, since that of flow control brings a driver.",
    ),
    never(
      "no-dev-packages",
      { path: "^(apps|libs)/", pathNot: [spec, "^apps/console/"] },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
      "A production install has none.",
    ),
  ],
  options: {
    doNotFollow: { path: "^(node_modules|dist|prisma/generated)/" },
    exclude: { path: "^(dist|coverage)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "require", "node", "default"],
      mainFields: ["module", "main", "types"],
    },
  },
};
