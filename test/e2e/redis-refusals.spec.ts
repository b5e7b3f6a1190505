import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { freePort } from "#libs/embedded";
import { runProgram, startProcess, tenantWithJob, type Ended } from "../support/program.js";
import {
  certificate,
  startRedisCluster,
  startRedisSentinels,
  startRedisServer,
  type RedisCluster,
  type RedisSentinels,
  type RedisServer,
} from "../support/redis-servers.js";
import { eventually } from "../support/record.js";
import { freshDatabase, startPrivateRedis, type FreshDatabase } from "../support/services.js";

const password = "right-password";
const ca = certificate("ca.pem");

let database: FreshDatabase;
let open: RedisServer;
let locked: RedisServer;
let secured: RedisServer;
let elsewhere: RedisServer;
let strict: RedisServer;
let cluster: RedisCluster;
let sentinels: RedisSentinels;

beforeAll(async () => {
  [database, open, locked, secured, elsewhere, strict, cluster, sentinels] = await Promise.all([
    freshDatabase(),
    startRedisServer(),
    startRedisServer({ password }),
    startRedisServer({ password, tls: "server" }),
    startRedisServer({ tls: "elsewhere" }),
    startRedisServer({ tls: "server", lines: ["tls-auth-clients yes"] }),
    startRedisCluster(),
    startRedisSentinels({ password }),
  ]);
  const operator = open.client();
  await operator.acl("SETUSER", "mute", "on", ">mute", "~*", "+@all", "-@scripting");
  await operator.acl("SETUSER", "other", "on", ">other", "~other:*", "+@all");
  await operator.acl("SETUSER", "deaf", "on", ">deaf", "~holdfast:*", "resetchannels", "+@all");
  await operator.acl("SETUSER", "flat", "on", ">flat", "~holdfast:*", "&holdfast:*", "+@all", "-@sortedset");
  const data = ["+@hash", "+@sortedset", "+@list", "+time", "+mget", "+set", "+del", "+pexpire"];
  const needed = ["~holdfast:*", "&holdfast:*", "+@connection", "+@scripting", "+@pubsub", "+info", ...data];
  await operator.acl("SETUSER", "enough", "on", ">enough", ...needed);
  operator.disconnect();
}, 60_000);
afterAll(async () => {
  await Promise.all([open, locked, secured, elsewhere, strict, cluster, sentinels].map((server) => server?.stop()));
  await database?.drop();
});

const listeners: Server[] = [];
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of listeners) server.close();
});

const settingsOf = (url: string) => ({ HOLDFAST_DATABASE_URL: database.url, HOLDFAST_REDIS_URL: url });
const at = ({ port }: { port: number }): string => `127.0.0.1:${port}`;

async function expectRefused(url: string, problem: RegExp): Promise<Ended> {
  // A start that is not refused for Redis ends at the record.
  const settings = { HOLDFAST_REDIS_URL: url, HOLDFAST_DATABASE_URL: "postgres://127.0.0.1:1/none" };
  const ended = await runProgram("main.js", [], settings);
  expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: "" });
  expect(ended.err).toMatch(/^HOLDFAST_REDIS_URL [^\n]+\n$/);
  expect(ended.err).toMatch(problem);
  return ended;
}

describe("the start is refused in one line that names HOLDFAST_REDIS_URL", () => {
  it.concurrent.each<[string, () => string, RegExp]>([
    ["for an address of no known form", () => "redis+pool://h", /must be a URL/],
    ["for a bad port", () => "redis://h:99999", /has a port/],
    ["for a file that cannot be read", () => `rediss://${at(secured)}?ca=/no/such.pem`, /cannot be read \(ENOENT\)/],
    ["for a wrong password", () => `redis://:wrong@${at(locked)}`, /wrong user or password/],
    ["for a user that does not exist", () => `redis://eve:${password}@${at(locked)}`, /wrong user or password/],
    ["for a missing password", () => `redis://${at(locked)}`, /has no password, but the server wants one/],
    ["for a user that may run no scripts", () => `redis://mute:mute@${at(open)}`, /may not run all scripts/],
    ["for a user that may use no channel of ours", () => `redis://deaf:deaf@${at(open)}`, /may not run all scripts/],
    ["for a user that may not do all", () => `redis://flat:flat@${at(open)}`, /may not run all scripts/],
    ["for a user that may not touch our keys", () => `redis://other:other@${at(open)}`, /may not run all scripts/],
    ["for a database that is not there", () => `redis://${at(open)}/99`, /database that the server does not have/],
    ["for TLS to a server in the clear", () => `rediss://${at(open)}`, /speaks no TLS/],
    ["for commands in the clear to a server with TLS", () => `redis://:${password}@${at(secured)}`, /wants TLS/],
    ["for no certificate of ours where one is wanted", () => `rediss://${at(strict)}?ca=${ca}`, /client certificate/],
    ["for a certificate of an unknown authority", () => `rediss://:${password}@${at(secured)}`, /not trusted/],
    [
      "for a certificate of another authority",
      () => `rediss://:${password}@${at(secured)}?ca=${certificate("stranger-ca.pem")}`,
      /not trusted/,
    ],
    [
      "for a certificate of another host",
      () => `rediss://${at(elsewhere)}?ca=${ca}`,
      /certificate is for another host/,
    ],
    ["for a wrong password over TLS", () => `rediss://:wrong@${at(secured)}?ca=${ca}`, /wrong user or password/],
    ["for one server that is a node of a cluster", () => `redis://${at(cluster.nodes[0]!)}`, /begin it with redis\+cl/],
    ["for a cluster that is one server", () => `redis+cluster://${at(open)}`, /no node of a cluster/],
    ["for a server that is a Sentinel", () => `redis://:${password}@${at(sentinels.sentinel)}`, /redis\+sentinel/],
    [
      "for a Sentinel that is a server",
      () => `redis+sentinel://${at(open)}/${sentinels.name}`,
      /leads to a server that is no Sentinel/,
    ],
    [
      "for a master that the Sentinels do not know",
      () => `redis+sentinel://:${password}@${at(sentinels.sentinel)}/other?sentinelPassword=${password}`,
      /master that the Sentinels do not know/,
    ],
    [
      "for a Sentinel's wrong password",
      () => `redis+sentinel://:${password}@${at(sentinels.sentinel)}/${sentinels.name}?sentinelPassword=wrong`,
      /wrong Sentinel user or password/,
    ],
    [
      "for a wrong password of the master",
      () => `redis+sentinel://:wrong@${at(sentinels.sentinel)}/${sentinels.name}?sentinelPassword=${password}`,
      /wrong user or password/,
    ],
  ])("%s", async (_name, url, problem) => {
    const { err } = await expectRefused(url(), problem);
    expect(err).not.toContain(password);
    expect(err).not.toContain("wrong@");
  });

  it("for a web server", async () => {
    await expectRefused(`redis://${await listener("HTTP/1.1 400 Bad Request\r\n\r\n")}`, /no Redis/);
  });
});

/** A server that says the same to everything, or nothing, or closes. */
async function listener(answer: string | null): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    if (answer !== "") socket.on("data", () => (answer === null ? socket.end() : socket.write(answer)));
  }).listen(0, "127.0.0.1");
  listeners.push(server);
  await once(server, "listening");
  return at(server.address() as AddressInfo);
}

describe("the service starts with one warning, and in bounded time,", () => {
  it.each<[string, () => Promise<string>]>([
    ["where nobody listens", async () => `redis://127.0.0.1:${await freePort()}`],
    ["where no node of a cluster listens", async () => `redis+cluster://127.0.0.1:${await freePort()}`],
    ["where no Sentinel listens", async () => `redis+sentinel://127.0.0.1:${await freePort()}/m`],
    ["where the host has no address", () => Promise.resolve("redis://no-such-host.invalid")],
    [
      "where what takes connections closes them, as a proxy without its server",
      async () => `redis://${await listener(null)}`,
    ],
    ["where it closes them before TLS begins", async () => `rediss://${await listener(null)}`],
    ["where nothing is answered", async () => `rediss://${await listener("")}`],
    ["where it is still loading", async () => `redis://${await listener("-LOADING Redis is loading\r\n")}`],
  ])("%s", async (_name, url) => {
    const from = performance.now();
    const holdfast = await startProcess(settingsOf(await url()));
    expect(performance.now() - from).toBeLessThan(8_000);
    const { code, err } = await holdfast.end("SIGTERM");
    expect({ code, err }).toEqual({
      code: 0,
      err: "HOLDFAST_REDIS_URL cannot be reached: running without Redis until it can\n",
    });
  });

  it("with no warning where one of several nodes is there", async () => {
    const url = `redis+cluster://127.0.0.1:${await freePort()},${at(cluster.nodes[1]!)}`;
    const holdfast = await startProcess(settingsOf(url));
    expect(await holdfast.end("SIGTERM")).toMatchObject({ code: 0, err: "" });
  });

  it("with no warning for a user that may do no more than is needed", async () => {
    const holdfast = await startProcess(settingsOf(`redis://enough:enough@${at(open)}`));
    const tenant = await tenantWithJob(holdfast, 1);
    const path = `/v1/jobs/${tenant.job}/reservations`;
    const operator = open.client();
    await eventually(async () => {
      expect((await holdfast.call(tenant.key, "POST", path, { amounts: { units: 2 } }, "k")).status).toBe(402);
      return operator.exists(`holdfast:{${tenant.tenant}}:copy:tenant:${tenant.tenant}:units:none`);
    });
    operator.disconnect();
    expect(await holdfast.end("SIGTERM")).toMatchObject({ code: 0, err: "" });
  });

  it("and shares permits by way of a user that may do no more than is needed", async () => {
    const holdfast = await startProcess(settingsOf(`redis://enough:enough@${at(open)}`));
    const tenant = await tenantWithJob(holdfast, 10);
    const admin = (method: string, path: string, body?: object) =>
      holdfast.call(holdfast.adminKey, method, `/v1/admin/${path}`, body);
    const all = { ratePerSecond: 100, concurrency: 1, queue: { max: 5, maxWaitMs: 10_000 } };
    const breaker = { failures: 3, windowMs: 1_000, resetMs: 1_000, probes: 1 };
    await admin("PUT", "services/all", { ...all, breaker, adaptive: { min: 1, max: 5 } });
    await admin("PUT", `tenants/${tenant.tenant}/services/all`, all);
    await eventually(async () => (await admin("GET", "flow")).body["shared"]);
    const made = await holdfast.call(
      tenant.key,
      "POST",
      `/v1/jobs/${tenant.job}/reservations`,
      { plan: { children: 2, attempts: 1, attemptCost: { units: 1 } } },
      "planned",
    );
    const permit = (child: number) =>
      holdfast.call(tenant.key, "POST", `/v1/reservations/${made.body["id"]}/permits`, {
        ...{ child, service: "all", waitMs: 10_000 },
      });
    const end = async (path: string, body?: object) =>
      (await holdfast.call(tenant.key, "POST", `/v1/permits/${path}`, body)).status;
    const first = (await permit(1)).body["id"] as string;
    const second = permit(2);
    await eventually(async () => Object.keys((await admin("GET", "services/all")).body["live"].waiting).length === 1);
    expect(await end(`${first}/heartbeat`)).toBe(200);
    expect(await end(`${first}/finish`, { outcome: "overloaded", actual: { units: 1 } })).toBe(200);
    const asked = performance.now();
    expect((await second).status).toBe(201);
    // It was woken, and not by the second in which a process says that it lives.
    expect(performance.now() - asked).toBeLessThan(500);
    expect((await admin("GET", "flow")).body).toMatchObject({ shared: true, fallbacks: 0, unheard: 0, granted: 2 });
    expect(await holdfast.end("SIGTERM")).toMatchObject({ code: 0, err: "" });
  });

  it("and uses a Redis that comes later", async () => {
    const redis = await startPrivateRedis();
    await redis.kill();
    const holdfast = await startProcess(settingsOf(redis.url));
    const state = async (): Promise<string> => (await fetch(`${holdfast.url}/health/ready`)).text();
    expect(await state()).toContain('"bypassed"');
    await redis.restart();
    await eventually(async () => (await state()).includes('"used"'));
    await holdfast.end("SIGTERM");
    await redis.stop();
  });
});
