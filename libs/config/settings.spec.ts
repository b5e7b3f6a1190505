import { readFileSync } from "node:fs";
import { loadSettings, settingsAsMarkdown, SettingsError } from "./index.js";

function problemOf(env: Record<string, string>): string {
  try {
    loadSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "none";
}

describe("settings", () => {
  it("has a default for everything that can have one", () => {
    expect(loadSettings({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      databaseUrl: undefined,
      redisUrl: undefined,
      dataDir: ".holdfast",
      adminKey: undefined,
      role: "all",
      sweepIntervalMs: 5_000,
      auditIntervalMs: 600_000,
      idempotencyRetentionMs: 172_800_000,
      denialRetentionMs: 604_800_000,
      denialsKept: 1_000,
      maxJobDepth: 8,
      permitLeaseMs: 30_000,
      retryRatio: 0.2,
      webhookIntervalMs: 5_000,
      webhookDenialIntervalMs: 60_000,
      webhookRetryMs: 5_000,
      webhookTimeoutMs: 10_000,
      webhookAddresses: "public",
      webhookHttp: "refused",
      historyMs: 21_600_000,
      historyCoarseMs: 604_800_000,
      eventStreams: 200,
      logLevel: "info",
      redisTimeoutMs: 25,
      commitTimeoutMs: 900,
      metricsPort: undefined,
      metricsTenants: "off",
      otlpEndpoint: undefined,
    });
  });

  it("takes what the environment says", () => {
    const settings = loadSettings({
      HOLDFAST_HOST: "::1",
      HOLDFAST_PORT: "0",
      HOLDFAST_DATABASE_URL: "postgres://a:b@db/holdfast?sslmode=require",
      HOLDFAST_REDIS_URL: "off",
      HOLDFAST_ROLE: "reconciler",
    });
    expect(settings).toMatchObject({ host: "::1", port: 0, redisUrl: "off", role: "reconciler" });
    expect(settings.databaseUrl).toBe("postgres://a:b@db/holdfast?sslmode=require");
  });

  it.each([
    ["HOLDFAST_PORT", ["80a", " 80", "+80", "8e3", "0x50", "080", "65536", "-1", "80.0", "tcp://10.0.0.1:80"]],
    ["HOLDFAST_HOST", ["http://localhost", "local host", "a:80", "-a"]],
    ["HOLDFAST_DATABASE_URL", ["localhost", "mysql://a/b", "postgres:///holdfast"]],
    [
      "HOLDFAST_DATABASE_URL",
      ["postgres://a/b?sslmod=require", "postgres://a/b?sslmode=on", "postgres://a/b?sslcrl=/x"],
    ],
    ["HOLDFAST_REDIS_URL", ["OFF", "localhost:6379", "http://localhost", "redis+pool://a", "redis:/a"]],
    ["HOLDFAST_DATA_DIR", [" data", "a\0b"]],
    ["HOLDFAST_ADMIN_KEY", ["short", "with blanks in the middle", "ä".repeat(20), "a".repeat(256)]],
    ["HOLDFAST_ROLE", ["API", "worker"]],
    ["HOLDFAST_LOG_LEVEL", ["verbose"]],
    ["HOLDFAST_METRICS_PORT", ["on", "65536"]],
    ["HOLDFAST_METRICS_TENANTS", ["true", "ON"]],
    ["HOLDFAST_IDEMPOTENCY_RETENTION_MS", ["86399999", "1d"]],
    ["HOLDFAST_AUDIT_INTERVAL_MS", ["2147483648"]],
  ])("refuses a wrong %s in one line that names it and does not repeat the value", (name, values) => {
    for (const value of ["", ...values]) {
      const problem = problemOf({ [name]: value });
      expect(problem).toMatch(new RegExp(`^${name} [^\\n]+$`));
      if (value.length > 8) expect(problem).not.toContain(value);
    }
  });

  it("takes what others read as well as they do: empty is unset", () => {
    expect(loadSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "" }).otlpEndpoint).toBeUndefined();
    expect(problemOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" })).toBe(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://collector:4318",
    );
  });

  it("refuses a misspelled name and leaves the variables of others alone", () => {
    expect(problemOf({ HOLDFAST_PROT: "1" })).toBe("HOLDFAST_PROT is not a setting: did you mean HOLDFAST_PORT?");
    expect(problemOf({ holdfast_role: "api" })).toBe("holdfast_role is not a setting: did you mean HOLDFAST_ROLE?");
    expect(problemOf({ HOLDFAST_API_KEY: "x", HOLDFAST_URL: "y", PATH: "/bin" })).toBe("none");
  });

  it("stands in the docs line by line", () => {
    const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    expect(page).toContain(settingsAsMarkdown());
  });
});
