import { Cluster, Redis, type ClusterOptions, type RedisOptions } from "ioredis";
import type { RedisAddress } from "./address.js";

/** Longest wait while a connection is set up or the slots of a cluster are asked for, milliseconds. */
const SET_UP_MS = 1_000;
/** A node that hangs keeps its connection: only a new map of the slots leads to its successor. */
const SLOTS_EVERY_MS = 2_000;
const AGAIN_MS = 100;

export type RedisClient = Redis | Cluster;

export type RedisScripts = Readonly<Record<string, { lua: string }>>;

/**
 * A client that sends each command once or not at all: what cannot be sent now fails now. A caller still bounds its wait
 * (see `within`), since the time-out of ioredis would also bound the set-up of connections.
 */
export function openRedis(address: RedisAddress, scripts: RedisScripts): RedisClient {
  const client = address.form === "cluster" ? openCluster(address, scripts) : openServer(address, scripts);
  client.on("error", () => {
    // Each failed call is reported by its caller; ioredis repeats the error for every attempt to connect.
  });
  return client;
}

/** All servers that take writes: one, or the masters of a cluster. */
export function mastersOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes("master") : [client];
}

/** The answer of a call, if it comes in time; a command that was given up may still be done. */
export async function within<T>(timeoutMs: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([call, late]);
  } catch (error) {
    // ioredis adds the command with its arguments; those of a login are the password, and errors are logged.
    delete (error as { command?: unknown }).command;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** How one server is spoken to, whichever way it was found. */
export function serverOptions({ login, tls }: Pick<RedisAddress, "login" | "tls">) {
  return {
    ...login,
    ...(tls && { tls: { ...tls } }),
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: SET_UP_MS,
    commandTimeout: SET_UP_MS,
  } satisfies RedisOptions;
}

function openServer(address: RedisAddress, scripts: RedisScripts): Redis {
  const { db, form } = address;
  const client = new Returning({
    ...serverOptions(address),
    ...(form === "sentinel" ? masterOf(address) : address.hosts[0]),
    db,
    enableOfflineQueue: false,
    // Nobody hears when the client's own try at subscribing anew fails, and that would end the process.
    autoResubscribe: false,
    retryStrategy: (times) => Math.min(50 * times, SET_UP_MS),
    reconnectOnError: (error) => (error.message.startsWith("READONLY") ? 1 : false),
    scripts: { ...scripts },
  });
  client.on("end", () => client.comeBack());
  return client;
}

/**
 * A client that ends only when it is told to. Who hears of a failover while it asks Sentinels for the master gives that up,
 * and ioredis then ends the client for good instead of trying again.
 */
class Returning extends Redis {
  private told = false;

  /** At its end; a try that fails ends it again. */
  comeBack(): void {
    setTimeout(() => {
      if (!this.told) this.connect().catch(() => undefined);
    }, AGAIN_MS).unref();
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) this.told = true;
    super.disconnect(reconnect);
  }
}

function masterOf({ hosts, master, sentinelLogin, tls }: RedisAddress) {
  return {
    sentinels: hosts.map((host) => ({ ...host })),
    name: master,
    sentinelUsername: sentinelLogin.username,
    sentinelPassword: sentinelLogin.password,
    sentinelCommandTimeout: SET_UP_MS,
    ...(tls && { sentinelTLS: { ...tls }, enableTLSForSentinelMode: true }),
    // A master that went without a word leaves a connection that looks well.
    failoverDetector: true,
  } satisfies RedisOptions;
}

function openCluster(address: RedisAddress, scripts: RedisScripts): Cluster {
  const cluster = new Cluster(
    address.hosts.map((host) => ({ ...host })),
    clusterOptions(address, scripts),
  );
  // A node that is not connected yet would queue its first command and send it when nobody waits for it any more.
  cluster.on("ready", () => cluster.nodes().forEach(connectNow));
  cluster.on("+node", (node: Redis) => cluster.status === "ready" && connectNow(node));
  return cluster;
}

function clusterOptions(address: RedisAddress, scripts: RedisScripts) {
  return {
    redisOptions: serverOptions(address),
    enableOfflineQueue: false,
    // A name stays a name: certificates are made out to it.
    dnsLookup: (host: string, found: (error: null, address: string) => void) => found(null, host),
    clusterRetryStrategy: (times: number) => Math.min(50 * times, SET_UP_MS),
    slotsRefreshTimeout: SET_UP_MS,
    slotsRefreshInterval: SLOTS_EVERY_MS,
    // A command that is sent elsewhere was not done; one that met a broken connection or a cluster that is down fails.
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 1,
    scripts: { ...scripts },
  } satisfies ClusterOptions;
}

function connectNow(node: Redis): void {
  if (node.status === "wait") node.connect().catch(() => undefined);
}
