import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { findRedis, freePort, isAlive, stopProcess } from "#libs/embedded";
import { eventually } from "./record.js";
import { freshFolder } from "./services.js";

/** What was started; where a run is cut off, it ends with the run. */
const children = new Set<ChildProcess>();
process.once("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** The path of a file of test/support/certificates. */
export const certificate = (name: string): string => fileURLToPath(new URL(`certificates/${name}`, import.meta.url));

export interface ServerOptions {
  readonly password?: string;
  /** The name of the certificate; the server then speaks TLS alone. */
  readonly tls?: "server" | "elsewhere";
  /** Lines of the configuration besides. */
  readonly lines?: readonly string[];
  /** Where the folder of its data is made; default: within the run's. */
  readonly within?: string;
}

/** A Redis of a test's own, with what `startPrivateRedis` cannot have: TLS, a password, a part in a cluster. */
export interface RedisServer {
  readonly port: number;
  /** Its address as of a single server. */
  readonly url: string;
  /** Its data and its log. */
  readonly folder: string;
  /** A client of the test; the caller disconnects it. */
  client(): Redis;
  suspend(): void;
  resume(): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedisServer(options: ServerOptions = {}, isSentinel = false): Promise<RedisServer> {
  const { within } = options;
  const [port, folder] = [await freePort(), within === undefined ? freshFolder() : mkdtempSync(join(within, "redis-"))];
  const file = join(folder, "redis.conf");
  writeFileSync(file, [...linesOf(port, folder, options), ""].join("\n"));
  const args = isSentinel ? [file, "--sentinel"] : [file];
  const client = (): Redis => clientOf(port, options);
  let child = await launch(args, folder, client);
  const stop = async (): Promise<void> => {
    if (isAlive(child.pid!)) child.kill("SIGCONT");
    await stopProcess(child.pid!, ["SIGTERM", "SIGKILL"]);
  };
  return {
    port,
    url: urlOf("", [port], options),
    folder,
    client,
    suspend: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    kill: () => stopProcess(child.pid!, ["SIGKILL"]),
    restart: async () => {
      await stop();
      child = await launch(args, folder, client);
    },
    stop,
  };
}

export interface RedisCluster {
  readonly url: string;
  /** The masters first, then the replica of each in the same order. */
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

/** A cluster of three masters, with a replica for each where it is asked for. */
export async function startRedisCluster(options: ServerOptions = {}, { replicas = false } = {}): Promise<RedisCluster> {
  const busPorts = await Promise.all(Array.from({ length: replicas ? 6 : 3 }, freePort));
  const nodes = await Promise.all(
    busPorts.map((busPort) => {
      const lines = ["cluster-enabled yes", `cluster-port ${busPort}`, "cluster-node-timeout 1000"];
      const tls = options.tls ? ["tls-cluster yes", "tls-replication yes"] : [];
      const login = options.password === undefined ? [] : [`masterauth ${options.password}`];
      return startRedisServer({ ...options, lines: [...lines, ...tls, ...login, ...(options.lines ?? [])] });
    }),
  );
  const clients = nodes.map((node) => node.client());
  try {
    await formCluster(
      clients,
      nodes.map(({ port }, i) => [port, busPorts[i]!] as const),
    );
  } finally {
    for (const client of clients) client.disconnect();
  }
  const ports = nodes.map(({ port }) => port);
  return {
    url: urlOf("+cluster", ports, options),
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

/** A busy machine takes long for it. */
const FORMED_MS = 30_000;

async function formCluster(clients: readonly Redis[], ports: readonly (readonly [number, number])[]): Promise<void> {
  const [first, ...others] = clients as [Redis, ...Redis[]];
  for (const [i, [from, to]] of [
    [0, 5_460],
    [5_461, 10_922],
    [10_923, 16_383],
  ].entries()) {
    await clients[i]!.cluster("ADDSLOTSRANGE", from!, to!);
  }
  for (const [i] of others.entries()) await first.call("CLUSTER", "MEET", "127.0.0.1", ...ports[i + 1]!);
  await eventually(async () => {
    const known = await Promise.all(clients.map((client) => client.cluster("INFO")));
    return known.every((info) => info.includes(`cluster_known_nodes:${clients.length}`));
  }, FORMED_MS);
  for (const [i, replica] of clients.slice(3).entries()) {
    await replica.cluster("REPLICATE", await clients[i]!.cluster("MYID"));
  }
  await eventually(async () => {
    const infos = await Promise.all(clients.map((client) => client.cluster("INFO")));
    const slots = await Promise.all(clients.map((client) => client.cluster("SLOTS")));
    const whole = (shards: unknown[][]) => shards.every((shard) => shard.length === 2 + clients.length / 3);
    return infos.every((info) => info.includes("cluster_state:ok")) && (slots as unknown[][][]).every(whole);
  }, FORMED_MS);
}

export interface RedisSentinels {
  readonly url: string;
  /** By what name the Sentinel knows the master. */
  readonly name: string;
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinel: RedisServer;
  stop(): Promise<void>;
}

const MASTER = "holdfast-master";

/** A master with a replica, and one Sentinel that watches them. */
export async function startRedisSentinels(options: ServerOptions = {}): Promise<RedisSentinels> {
  const { password, tls } = options;
  const login = password === undefined ? [] : [`masterauth ${password}`];
  const data = { ...options, lines: [...login, ...(tls ? ["tls-replication yes"] : []), "repl-diskless-sync-delay 0"] };
  const master = await startRedisServer(data);
  const of = `127.0.0.1 ${master.port}`;
  const replica = await startRedisServer({ ...data, lines: [...data.lines, `replicaof ${of}`] });
  const watch = [
    `sentinel monitor ${MASTER} ${of} 1`,
    `sentinel down-after-milliseconds ${MASTER} 1000`,
    `sentinel failover-timeout ${MASTER} 3000`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER} ${password}`]),
    ...(tls ? ["tls-replication yes"] : []),
  ];
  const sentinel = await startRedisServer({ ...options, lines: watch }, true);
  const client = sentinel.client();
  await eventually(async () => {
    const replicas = (await client.call("SENTINEL", "REPLICAS", MASTER)) as unknown[];
    return JSON.stringify(replicas).includes('"master-link-status","ok"');
  }, 20_000).finally(() => client.disconnect());
  const query = password === undefined ? {} : { sentinelPassword: password };
  return {
    url: urlOf("+sentinel", [sentinel.port], options, `/${MASTER}`, query),
    name: MASTER,
    master,
    replica,
    sentinel,
    stop: async () => {
      await sentinel.stop();
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}

function linesOf(port: number, folder: string, { password, tls, lines = [] }: ServerOptions): string[] {
  return [
    "bind 127.0.0.1",
    ...(tls === undefined ? [`port ${port}`] : ["port 0", `tls-port ${port}`, ...tlsLines(tls)]),
    ...(password === undefined ? [] : [`requirepass ${password}`]),
    `dir ${folder}`,
    "daemonize no",
    'save ""',
    ...lines,
  ];
}

function tlsLines(name: string): string[] {
  return [
    `tls-cert-file ${certificate(`${name}.pem`)}`,
    `tls-key-file ${certificate(`${name}.key`)}`,
    `tls-ca-cert-file ${certificate("ca.pem")}`,
    "tls-auth-clients optional",
  ];
}

function urlOf(
  form: string,
  ports: readonly number[],
  { password, tls }: ServerOptions,
  path = "",
  more: Readonly<Record<string, string>> = {},
): string {
  const parameters = { ...(tls && { ca: certificate("ca.pem") }), ...more };
  const query = new URLSearchParams(parameters).toString();
  const login = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  return `redis${tls ? "s" : ""}${form}://${login}${hosts}${path}${query && `?${query}`}`;
}

function ownCertificate() {
  const [ca, cert, key] = ["ca.pem", "server.pem", "server.key"].map((name) => readFileSync(certificate(name)));
  return { ca: ca!, cert: cert!, key: key! };
}

function clientOf(port: number, { password, tls }: ServerOptions): Redis {
  const client = new Redis({
    port,
    host: "127.0.0.1",
    ...(password !== undefined && { password }),
    ...(tls && { tls: { ...ownCertificate(), checkServerIdentity: () => undefined } }),
    retryStrategy: () => 50,
  });
  client.on("error", () => undefined);
  return client;
}

async function launch(args: readonly string[], folder: string, client: () => Redis) {
  const command = findRedis();
  if (command === undefined) throw new Error("these tests need redis-server or valkey-server on PATH");
  const log = openSync(join(folder, "server.log"), "a");
  const child = spawn(command, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  await once(child, "spawn");
  children.add(child);
  const asking = client();
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(readFileSync(join(folder, "server.log"), "utf8"));
      return (await asking.ping()) === "PONG";
    });
  } finally {
    asking.disconnect();
  }
  return child;
}
