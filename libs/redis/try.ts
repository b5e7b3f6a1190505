import { Redis } from "ioredis";
import { RedisUrlProblem, type RedisAddress, type RedisHost, type RedisLogin } from "./address.js";
import { serverOptions, within } from "./connect.js";
import { problemOfSilence } from "./probe.js";

/** Longest wait for all that is asked at the start, and for one connection or answer, milliseconds. */
const TRY_MS = 2_000;
const STEP_MS = 900;

type Failure = Error & { readonly code?: string };

/**
 * Asks once whether the address leads to what it says. True: it does. False: nothing answers, or only that it is not
 * ready, as may be at any time. @throws RedisUrlProblem where what answers shows that the address is wrong.
 */
export async function tryRedis(address: RedisAddress): Promise<boolean> {
  const problems: RedisUrlProblem[] = [];
  const asked = address.hosts.map(async (host) => {
    try {
      await within(TRY_MS, address.form === "sentinel" ? askSentinel(address, host) : askServer(address, host));
      return true;
    } catch (error) {
      if (error instanceof RedisUrlProblem) problems.push(error);
      return false;
    }
  });
  // One host that is right is enough for the service to work.
  const someRight = (await Promise.all(asked)).includes(true);
  if (!someRight && problems[0]) throw problems[0];
  return someRight;
}

async function askServer(address: RedisAddress, host: RedisHost): Promise<void> {
  const { form, login, db } = address;
  await connected({ address, host, login }, async (redis) => {
    const mode = /redis_mode:(\w+)/.exec(await permitted(redis.info("server")))?.[1];
    if (mode === "sentinel") throw new RedisUrlProblem("leads to a Sentinel: begin it with redis+sentinel://");
    if (mode === "cluster" && form !== "cluster") {
      throw new RedisUrlProblem("leads to a node of a cluster: begin it with redis+cluster://");
    }
    if (mode === "standalone" && form === "cluster") {
      throw new RedisUrlProblem("leads to a server that is no node of a cluster: begin it with redis://");
    }
    if (db > 0) await redis.select(db);
  });
}

async function askSentinel(address: RedisAddress, host: RedisHost): Promise<void> {
  const { sentinelLogin, master = "" } = address;
  const found = await connected({ address, host, login: sentinelLogin, of: "Sentinel " }, async (redis) => {
    const answer = await redis.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", master);
    return answer as [string, string] | null;
  });
  if (!found) throw new RedisUrlProblem("names a master that the Sentinels do not know");
  await askServer(address, { host: found[0], port: Number(found[1]) });
}

interface Way {
  readonly address: RedisAddress;
  readonly host: RedisHost;
  readonly login: RedisLogin;
  readonly of?: string;
}

async function connected<T>({ address, host, login, of = "" }: Way, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({
    ...serverOptions({ ...address, login }),
    ...host,
    connectTimeout: STEP_MS,
    commandTimeout: STEP_MS,
    retryStrategy: null,
    enableReadyCheck: false,
    lazyConnect: true,
  });
  let first: Failure | undefined;
  redis.on("error", (error: Failure) => (first ??= error));
  try {
    await redis.connect();
    return await ask(redis);
  } catch (error) {
    const problem = problemIn(first ?? (error as Failure), of);
    if (problem instanceof RedisUrlProblem || redis.status === "ready") throw problem;
    throw (await problemOfSilence(address, host)) ?? problem;
  } finally {
    redis.disconnect();
  }
}

/** What a server answers that may not be asked. */
function permitted(answer: Promise<string>): Promise<string> {
  return answer.catch((error: Error) => {
    if (error.message.startsWith("NOPERM")) return "";
    throw error;
  });
}

/** The error as a problem of the address, where it is one; what may pass by itself stays as it is. */
function problemIn(error: Failure, of: string): Error {
  const { message, code = "" } = error;
  if (error instanceof RedisUrlProblem) return error;
  const wrong = (problem: string) => new RedisUrlProblem(problem);
  if (/^WRONGPASS|invalid (username|password)/i.test(message)) return wrong(`has a wrong ${of}user or password`);
  if (message.startsWith("NOAUTH")) return wrong(`has no ${of}password, but the server wants one`);
  if (/unknown command.*sentinel/i.test(message)) return wrong("leads to a server that is no Sentinel");
  if (/^ERR (DB index|SELECT)/i.test(message)) return wrong("names a database that the server does not have");
  if (message.startsWith("Unknown RESP type")) return wrong("leads to something that is no Redis");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return wrong("leads to a server whose certificate is for another host");
  if (/CERT|LEAF_SIGNATURE|ISSUER/.test(code))
    return wrong(`leads to a server whose certificate is not trusted: ${code}`);
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return wrong(`leads to a server that speaks no TLS, or refuses ours: ${code}`);
  return error;
}
