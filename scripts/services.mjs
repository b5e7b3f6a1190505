// A PostgreSQL and a Redis for the tests, from the first of these that can give them: the environment, a reachable
// Docker, programs of this machine, its package manager. Runs after the set-up: it uses the compiled libs/embedded.
import { request } from "node:http";
import { fail, say } from "./common.mjs";
import { installPackage } from "./packages.mjs";

const dockerProbeMs = 1_500;
const images = { postgres: "postgres:18-alpine", redis: "redis:8-alpine" };

/** `url` of both, `redisFrom` for tests that need a Redis of their own, and `stop`, which ends only what was started here. */
export async function provideServices(dataDir) {
  const named = { databaseUrl: process.env.HOLDFAST_DATABASE_URL, redisUrl: process.env.HOLDFAST_REDIS_URL };
  if (named.redisUrl === "off") fail("HOLDFAST_REDIS_URL is off, but the tests need a Redis: name one or unset it.");
  if (named.redisUrl?.split("://")[0].includes("+"))
    fail("The tests need one Redis server: HOLDFAST_REDIS_URL names several.");
  // Also next to Docker: clusters, Sentinels and TLS are tested with programs, which a test can stop and hang one by one.
  const { findRedis } = await import("../dist/libs/embedded/index.js");
  if (!findRedis()) installPackage("redis");
  const docker = (await dockerAnswers()) ? await dockerServices(named) : undefined;
  return docker ?? (await localServices(dataDir, named));
}

async function localServices(dataDir, named) {
  const { findRedis, startPostgres, startRedis } = await import("../dist/libs/embedded/index.js");
  // Also with a Redis named by the environment: fault tests stop and wipe one, which must not be that one.
  if (!findRedis()) fail("The tests need a Redis: install redis-server or valkey-server, or set HOLDFAST_REDIS_URL.");
  // The tests kill servers, never the machine: syncing to disk would only cost time.
  const settings = { fsync: "off", max_connections: "200" };
  const started = [
    named.databaseUrl ? undefined : await startPostgres({ dataDir, settings }),
    named.redisUrl ? undefined : await startRedis({ dataDir }),
  ];
  return {
    databaseUrl: named.databaseUrl ?? started[0].url,
    redisUrl: named.redisUrl ?? started[1].url,
    redisFrom: "program",
    stop: () => Promise.all(started.map((server) => server?.stop())),
  };
}

/** undefined when Docker answers but cannot give a container, for example because no image can be pulled. */
async function dockerServices(named) {
  const started = [];
  const start = async (container, port) => {
    const running = await container.withExposedPorts(port).start();
    started.push(running);
    return `${running.getHost()}:${running.getMappedPort(port)}`;
  };
  const stop = () => Promise.all(started.map((container) => container.stop()));
  try {
    const { GenericContainer, Wait } = await import("testcontainers");
    const postgres = () =>
      new GenericContainer(images.postgres)
        .withEnvironment({ POSTGRES_USER: "holdfast", POSTGRES_PASSWORD: "holdfast" })
        .withCommand(["postgres", "-c", "fsync=off", "-c", "max_connections=200"])
        .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2));
    const redis = () => new GenericContainer(images.redis).withCommand(["redis-server", "--appendonly", "yes"]);
    const databaseUrl = named.databaseUrl ?? `postgresql://holdfast:holdfast@${await start(postgres(), 5432)}/holdfast`;
    const redisUrl = named.redisUrl ?? `redis://${await start(redis(), 6379)}`;
    return { databaseUrl, redisUrl, redisFrom: "docker", stop };
  } catch (error) {
    say(`Docker answers but gives no container (${error.message}); looking for local services.`);
    await stop();
    return undefined;
  }
}

function dockerAnswers() {
  const host = process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock";
  const { protocol, pathname, hostname, port } = new URL(host);
  const where = protocol === "unix:" ? { socketPath: pathname } : { host: hostname, port: port || 2375 };
  return new Promise((resolve) => {
    const probe = request({ ...where, path: "/_ping", timeout: dockerProbeMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    probe.on("timeout", () => probe.destroy(new Error("timeout")));
    probe.on("error", () => resolve(false));
    probe.end();
  });
}
