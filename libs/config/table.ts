import {
  decimal,
  host,
  httpUrl,
  integer,
  oneOf,
  path,
  postgresUrl,
  scheme,
  secret,
  word,
  type Parser,
} from "./parsers.js";

/** One setting. `fallback` undefined: the setting may be absent, and `absent` says what happens then. */
export interface Entry<T> {
  readonly env: string;
  /** What a number counts, or `text` for anything else. */
  readonly unit: "ms" | "port" | "levels" | "rows" | "streams" | "text";
  readonly parse: Parser<T>;
  readonly fallback: T | undefined;
  /** What the docs show as default where there is no fallback. */
  readonly absent?: string;
  readonly description: string;
}

interface Optional<T> extends Entry<T> {
  readonly fallback: undefined;
  readonly absent: string;
}

interface WithDefault<T> extends Entry<T> {
  readonly fallback: T;
}

function optional<T>(entry: Omit<Optional<T>, "fallback">): Optional<T> {
  return { ...entry, fallback: undefined };
}

function withDefault<T>(entry: WithDefault<T>): WithDefault<T> {
  return entry;
}

const hourMs = 3_600_000;
/** Longest delay that a Node timer keeps; a longer one fires at once. */
const maxTimerMs = 2_147_483_647;

/** One server, a cluster, or Sentinels; with a second s over TLS. */
const redisSchemes = ["redis", "redis+cluster", "redis+sentinel", "rediss", "rediss+cluster", "rediss+sentinel"];

/** Every setting of Holdfast. Order is the order of `docs/configuration.md`. */
export const settingsTable = {
  host: withDefault({
    env: "HOLDFAST_HOST",
    unit: "text",
    parse: host,
    fallback: "127.0.0.1",
    description: "Address that the API listens on.",
  }),
  port: withDefault({
    env: "HOLDFAST_PORT",
    unit: "port",
    parse: integer(0, 65_535),
    fallback: 8080,
    description: "Port that the API listens on; 0 takes any free one and prints it.",
  }),
  databaseUrl: optional({
    env: "HOLDFAST_DATABASE_URL",
    unit: "text",
    parse: postgresUrl,
    absent: "an embedded PostgreSQL in the data folder",
    description: "PostgreSQL that holds the record.",
  }),
  redisUrl: optional({
    env: "HOLDFAST_REDIS_URL",
    unit: "text",
    parse: word("off", scheme(redisSchemes, "redis://host:6379, or the word off")),
    absent: "`redis-server` or `valkey-server` from PATH in the data folder; without either, no Redis",
    description:
      "Redis that answers denials fast: a server, a cluster or Sentinels (see below); `off` runs without one: slower, never wrong.",
  }),
  dataDir: withDefault({
    env: "HOLDFAST_DATA_DIR",
    unit: "text",
    parse: path,
    fallback: ".holdfast",
    description: "Folder of the embedded services; relative to the folder that Holdfast is started in.",
  }),
  adminKey: optional({
    env: "HOLDFAST_ADMIN_KEY",
    unit: "text",
    parse: secret(16),
    absent: "made at the first start, printed once, kept as a hash",
    description: "The operator's key, 16 to 255 visible ASCII characters.",
  }),
  role: withDefault({
    env: "HOLDFAST_ROLE",
    unit: "text",
    parse: oneOf("all", "api", "reconciler"),
    fallback: "all",
    description: "What this process does: `api`, `reconciler` or `all`.",
  }),
  sweepIntervalMs: withDefault({
    env: "HOLDFAST_SWEEP_INTERVAL_MS",
    unit: "ms",
    parse: integer(100, 60_000),
    fallback: 5_000,
    description: "Longest time that a reservation stays open after its deadline.",
  }),
  auditIntervalMs: withDefault({
    env: "HOLDFAST_AUDIT_INTERVAL_MS",
    unit: "ms",
    parse: integer(1_000, maxTimerMs),
    fallback: 600_000,
    description: "Time between two audits of the balances against the ledger.",
  }),
  idempotencyRetentionMs: withDefault({
    env: "HOLDFAST_IDEMPOTENCY_RETENTION_MS",
    unit: "ms",
    parse: integer(24 * hourMs, 365 * 24 * hourMs),
    fallback: 48 * hourMs,
    description: "How long the first answer under an idempotency key is kept; at least 24 h.",
  }),
  denialRetentionMs: withDefault({
    env: "HOLDFAST_DENIAL_RETENTION_MS",
    unit: "ms",
    parse: integer(60_000, 365 * 24 * hourMs),
    fallback: 7 * 24 * hourMs,
    description: "How long a denial stays in the list of denials.",
  }),
  denialsKept: withDefault({
    env: "HOLDFAST_DENIALS_KEPT",
    unit: "rows",
    parse: integer(10, 100_000),
    fallback: 1_000,
    description:
      "Most rows of the list of denials that are kept of a tenant, the newest; what goes beyond is dropped once an hour.",
  }),
  maxJobDepth: withDefault({
    env: "HOLDFAST_MAX_JOB_DEPTH",
    unit: "levels",
    parse: integer(1, 32),
    fallback: 8,
    description: "How deep child jobs may stand; a job without a parent stands at 1, so 1 allows no children.",
  }),
  permitLeaseMs: withDefault({
    env: "HOLDFAST_PERMIT_LEASE_MS",
    unit: "ms",
    parse: integer(100, hourMs),
    fallback: 30_000,
    description: "How long a permit lives without a heartbeat.",
  }),
  retryRatio: withDefault<number | "off">({
    env: "HOLDFAST_RETRY_RATIO",
    unit: "text",
    parse: word("off", decimal(0, 10)),
    fallback: 0.2,
    description:
      "Retries that a job may start for each of its first attempts within a minute, and 10 in any case; `off` sets no bound.",
  }),
  webhookIntervalMs: withDefault({
    env: "HOLDFAST_WEBHOOK_INTERVAL_MS",
    unit: "ms",
    parse: integer(100, maxTimerMs),
    fallback: 5_000,
    description: "How often the reconciler looks for what webhooks shall be told.",
  }),
  webhookDenialIntervalMs: withDefault({
    env: "HOLDFAST_WEBHOOK_DENIAL_INTERVAL_MS",
    unit: "ms",
    parse: integer(100, hourMs),
    fallback: 60_000,
    description: "Denials of one scope and unit within this time are told together.",
  }),
  webhookRetryMs: withDefault({
    env: "HOLDFAST_WEBHOOK_RETRY_MS",
    unit: "ms",
    parse: integer(10, hourMs),
    fallback: 5_000,
    description: "Pause after the first attempt of a delivery that failed; each further pause is twice as long.",
  }),
  webhookTimeoutMs: withDefault({
    env: "HOLDFAST_WEBHOOK_TIMEOUT_MS",
    unit: "ms",
    parse: integer(100, 60_000),
    fallback: 10_000,
    description: "Longest time that one attempt of a delivery takes.",
  }),
  webhookAddresses: withDefault<"public" | "any">({
    env: "HOLDFAST_WEBHOOK_ADDRESSES",
    unit: "text",
    parse: oneOf("public", "any"),
    fallback: "public",
    description: "Where webhooks may lead: `public` addresses alone, or `any`, also into the operator's own network.",
  }),
  webhookHttp: withDefault<"refused" | "allowed">({
    env: "HOLDFAST_WEBHOOK_HTTP",
    unit: "text",
    parse: oneOf("refused", "allowed"),
    fallback: "refused",
    description: "Whether the address of a webhook may be `http`, that is, in the clear.",
  }),
  historyMs: withDefault({
    env: "HOLDFAST_HISTORY_MS",
    unit: "ms",
    parse: integer(60_000, 7 * 24 * hourMs),
    fallback: 6 * hourMs,
    description: "How long figures are kept by steps of 10 s.",
  }),
  historyCoarseMs: withDefault({
    env: "HOLDFAST_HISTORY_COARSE_MS",
    unit: "ms",
    parse: integer(hourMs, 365 * 24 * hourMs),
    fallback: 7 * 24 * hourMs,
    description: "How long figures are kept by steps of 5 min and of 1 h.",
  }),
  eventStreams: withDefault({
    env: "HOLDFAST_EVENT_STREAMS",
    unit: "streams",
    parse: integer(0, 10_000),
    fallback: 200,
    description: "Streams of events that one process has open at once; a further one is refused with 503.",
  }),
  logLevel: withDefault({
    env: "HOLDFAST_LOG_LEVEL",
    unit: "text",
    parse: oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    fallback: "info",
    description:
      "Least severe log line that is written: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.",
  }),
  redisTimeoutMs: withDefault({
    env: "HOLDFAST_REDIS_TIMEOUT_MS",
    unit: "ms",
    parse: integer(1, 10_000),
    fallback: 25,
    description: "Longest wait for Redis before the record decides alone.",
  }),
  commitTimeoutMs: withDefault({
    env: "HOLDFAST_COMMIT_TIMEOUT_MS",
    unit: "ms",
    parse: integer(50, 60_000),
    fallback: 900,
    description: "Longest wait for the record before a request is answered 503.",
  }),
  metricsPort: optional({
    env: "HOLDFAST_METRICS_PORT",
    unit: "port",
    parse: integer(0, 65_535),
    absent: "only the API shows them, to the operator's key",
    description:
      "Port of `HOLDFAST_HOST` that shows the figures at `/metrics` to whoever asks; 0 takes any free one and prints it.",
  }),
  metricsTenants: withDefault<"off" | "on">({
    env: "HOLDFAST_METRICS_TENANTS",
    unit: "text",
    parse: oneOf("off", "on"),
    fallback: "off",
    description:
      "`on` tells tenants apart in the figures, by a label with their ids: for tens of tenants, not for thousands.",
  }),
  otlpEndpoint: optional({
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    unit: "text",
    parse: httpUrl,
    absent: "no traces",
    description: "Collector that traces are sent to, by OTLP over HTTP: `/v1/traces` below this URL.",
  }),
};

type Table = typeof settingsTable;
type ValueOf<E> = E extends WithDefault<infer T> ? T : E extends Optional<infer T> ? T | undefined : never;

export type Settings = { readonly [Key in keyof Table]: ValueOf<Table[Key]> };

/** The settings once it is known where both services are: embedded ones have an address like any other. */
export type RunSettings = Omit<Settings, "databaseUrl" | "redisUrl"> & {
  readonly databaseUrl: string;
  /** undefined: run without Redis. */
  readonly redisUrl: string | undefined;
};
