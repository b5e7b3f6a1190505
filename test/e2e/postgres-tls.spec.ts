import { chownSync, copyFileSync, chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startPostgres, type EmbeddedServer } from "#libs/embedded";
import { runProgram, startProcess, tenantWithJob } from "../support/program.js";
import { certificate } from "../support/redis-servers.js";
import { eventually } from "../support/record.js";
import { freshDatabase, freshFolder, type FreshDatabase } from "../support/services.js";

/** Takes nobody without TLS, nor without a certificate of its own authority. */
let secured: EmbeddedServer;
let plain: FreshDatabase;
let operator: pg.Client;

beforeAll(async () => {
  plain = await freshDatabase();
  const dataDir = freshFolder();
  secured = await startPostgres({ dataDir, settings: { fsync: "off" } });
  operator = new pg.Client({ connectionString: secured.url });
  await operator.connect();
  await secure(join(dataDir, "postgres/data"));
}, 60_000);
afterAll(async () => {
  await operator?.end();
  await secured?.stop();
  await plain?.drop();
});

/** The server wants files that are its own, and a key that nobody else may read. */
async function secure(data: string): Promise<void> {
  const { uid, gid } = statSync(data);
  for (const name of ["ca.pem", "server.pem", "server.key", "elsewhere.pem", "elsewhere.key"]) {
    copyFileSync(certificate(name), join(data, name));
    chmodSync(join(data, name), 0o600);
    chownSync(join(data, name), uid, gid);
  }
  writeFileSync(join(data, "pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n");
  const settings = { ssl_ca_file: "ca.pem", ssl_cert_file: "server.pem", ssl_key_file: "server.key", ssl: "on" };
  await configure(settings);
}

async function configure(settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await operator.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await operator.query("SELECT pg_reload_conf()");
  for (const [name, value] of Object.entries(settings)) {
    await eventually(
      async () => (await operator.query<Record<string, string>>(`SHOW ${name}`)).rows[0]![name] === value,
    );
  }
}

const right = {
  sslmode: "verify-full",
  sslrootcert: certificate("ca.pem"),
  sslcert: certificate("server.pem"),
  sslkey: certificate("server.key"),
};

function urlOf(server: string, parameters: Readonly<Record<string, string>>, password?: string): string {
  const url = new URL(server);
  if (password !== undefined) url.password = password;
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}

async function expectRefused(url: string, problem: RegExp): Promise<void> {
  const settings = { HOLDFAST_DATABASE_URL: url, HOLDFAST_REDIS_URL: "off", HOLDFAST_PORT: "0" };
  const { code, out, err } = await runProgram("main.js", [], settings);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^HOLDFAST_DATABASE_URL [^\n]+\n$/);
  expect(err).toMatch(problem);
  expect(err).not.toContain(new URL(url).password);
}

describe("PostgreSQL over TLS", () => {
  it("serves every connection of API and reconciler, each with the certificate that the URL names", async () => {
    const holdfast = await startProcess({
      HOLDFAST_DATABASE_URL: urlOf(secured.url, right),
      HOLDFAST_REDIS_URL: "off",
      HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
    });
    const { key, job } = await tenantWithJob(holdfast, 100);
    const path = `/v1/jobs/${job}/reservations`;
    expect((await holdfast.call(key, "POST", path, { amounts: { units: 1 } }, "k")).status).toBe(201);
    const run = await holdfast.call(holdfast.adminKey, "POST", "/v1/admin/reconcile", { tasks: ["expire", "audit"] });
    expect(run.status).toBe(200);
    // Whoever is "starting" has not been let in yet: its name and its certificate are still unknown to the server.
    const { rows } = await operator.query<{ name: string; ssl: boolean; dn: string | null }>(
      `SELECT DISTINCT application_name AS name, ssl, client_dn AS dn FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
       WHERE backend_type = 'client backend' AND state <> 'starting' AND pid <> pg_backend_pid() ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["holdfast", "holdfast-queue", "holdfast-reads"]),
    );
    expect(rows.filter(({ ssl, dn }) => !ssl || dn !== "/CN=127.0.0.1")).toEqual([]);
    expect(await holdfast.end("SIGTERM")).toMatchObject({ code: 0, err: "" });
  });

  it.each<[string, () => string, RegExp]>([
    ["a server without TLS", () => urlOf(plain.url, right), /does not support SSL/],
    ["no TLS where the server wants it", () => urlOf(secured.url, {}), /no encryption/],
    [
      "an authority that nobody knows",
      () => urlOf(secured.url, { ...right, sslrootcert: "" }),
      /self-signed certificate/,
    ],
    [
      "another authority",
      () => urlOf(secured.url, { ...right, sslrootcert: certificate("stranger-ca.pem") }),
      /unable to verify|self-signed certificate/,
    ],
    [
      "a file that cannot be read",
      () => urlOf(secured.url, { ...right, sslrootcert: "/no/such.pem" }),
      /ENOENT.*\/no\/such/,
    ],
    [
      "a file that is no certificate",
      () => urlOf(secured.url, { ...right, sslcert: certificate("README.md") }),
      /PEM/i,
    ],
    [
      "a key of another certificate",
      () => urlOf(secured.url, { ...right, sslkey: certificate("elsewhere.key") }),
      /key values mismatch/,
    ],
    [
      "no certificate of ours where the server wants one",
      () => urlOf(secured.url, { sslmode: "verify-full", sslrootcert: right.sslrootcert }),
      /certificate/,
    ],
    ["a wrong password", () => urlOf(secured.url, right, "wrong-password"), /password authentication failed/],
    ["a parameter that is not known", () => urlOf(secured.url, { sslmod: "require" }), /sslmode/],
    ["a mode that is not known", () => urlOf(secured.url, { sslmode: "on" }), /verify-full/],
  ])(
    "refuses the start, in one line that names HOLDFAST_DATABASE_URL and no password, for %s",
    async (_name, url, problem) => {
      await expectRefused(url(), problem);
    },
  );

  it("refuses the start for a certificate of another host", async () => {
    await configure({ ssl_cert_file: "elsewhere.pem", ssl_key_file: "elsewhere.key" });
    await expectRefused(urlOf(secured.url, right), /altnames/);
    await configure({ ssl_cert_file: "server.pem", ssl_key_file: "server.key" });
  });
});
