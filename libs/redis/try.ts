import { Redis } from "ioredis";
import { RedisUrlProblem, type RedisAddress, type RedisHost, type RedisLogin } from "./address.js";
import { serverOptions, within } from "./connect.js";
import { problemOfSilence, WANTS_OURS, WANTS_OURS_SAYS } from "./probe.js";

/** Longest wait for all that is asked at the start, and for one connection or answer, milliseconds. */
const TRY_MS = 2_000;
const STEP_MS = 900;

const NO_PERMISSION = "has a user that may not run all scripts on keys and channels that begin with holdfast:";

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
    await mayBeUsed(redis);
  });
}

/** Whether the user may run a script on our keys; a node says so also of keys that it does not have. */
async function mayBeUsed(redis: Redis): Promise<void> {
  const calls = [
    ...["'TIME'", "'MGET', KEYS[1]", "'HGET', KEYS[1], 'try'", "'ZCARD', KEYS[1]", "'LLEN', KEYS[1]"],
    "'PUBLISH', 'holdfast:try', ''",
  ];
  const script = calls.map((call) => `redis.call(${call})`).join(" ");
  const asked = redis.eval(script, 1, "holdfast:{try}:try");
  await asked.catch((error: Error) => {
    // Anything else passes by, and is met by the record deciding alone.
    if (/NOPERM|permission|ACL failure|user executing the script can't/i.test(error.message))
      throw new RedisUrlProblem(NO_PERMISSION);
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

/** What servers answer that does not pass by itself, by the message and by the code of the error. */
const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/^WRONGPASS|invalid (username|password)/i, "has a wrong @user or password"],
  [/^NOAUTH/, "has no @password, but the server wants one"],
  [/^NOPERM/, NO_PERMISSION],
  [/^DENIED/, "leads to a server in protected mode, which takes nobody from elsewhere"],
  [/unknown command.*sentinel/i, "leads to a server that is no Sentinel"],
  [/^ERR (DB index|SELECT)/i, "names a database that the server does not have"],
  [/^Unknown RESP type/, "leads to something that is no Redis"],
];
const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, "leads to a server whose certificate is for another host"],
  [WANTS_OURS, WANTS_OURS_SAYS],
  [/CERT|LEAF_SIGNATURE|ISSUER/, "leads to a server whose certificate is not trusted"],
  [/^(EPROTO|ERR_SSL_)/, "leads to a server that speaks no TLS, or refuses ours"],
];
/** A proxy whose server is away says so, too. */
const PASSES = /EOF|INTERNAL_ERROR/;

/** The error as a problem of the address, where it is one; what may pass by itself stays as it is. */
function problemIn(error: Failure, of: string): Error {
  if (error instanceof RedisUrlProblem) return error;
  const { message, code = "" } = error;
  const said = BY_MESSAGE.find(([pattern]) => pattern.test(message));
  if (said) return new RedisUrlProblem(said[1].replace("@", of));
  const shown = PASSES.test(code) ? undefined : BY_CODE.find(([pattern]) => pattern.test(code));
  return shown ? new RedisUrlProblem(`${shown[1]} (${code})`) : error;
}
