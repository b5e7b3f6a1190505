import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { openRedis, parseRedisUrl } from "#libs/redis";
import { WAKE_CHANNEL } from "../../libs/flow/redis/keys.js";
import { Wakes } from "../../libs/flow/redis/wakes.js";
import { startProxy } from "../support/proxy.js";
import { eventually } from "../support/record.js";
import { startPrivateRedis, type PrivateRedis } from "../support/services.js";

let server: PrivateRedis;
beforeAll(async () => {
  server = await startPrivateRedis();
});
afterAll(() => server.stop());

const clientOf = (url: string) => openRedis(parseRedisUrl(url), {});

describe("a client of Redis", () => {
  // A rejection that nobody handles would end a process, and fails a test.
  it("hears again after a connection that broke, and broke once more while it subscribed anew", async () => {
    const way = await startProxy(server.url);
    const heard: string[] = [];
    const wakes = new Wakes(
      () => clientOf(way.url),
      "process",
      (service) => heard.push(service),
    );
    const publisher = clientOf(server.url);
    const hears = (service: string) =>
      eventually(async () => {
        await publisher.publish(`${WAKE_CHANNEL}process`, `${service} waiter`);
        return heard.includes(service);
      });
    try {
      await eventually(async () => publisher.status === "ready");
      await hears("before");
      let cut = 0;
      way.set("cut");
      way.set("open");
      way.cutWhenSent(/subscribe/i, () => (cut += 1));
      await eventually(async () => cut >= 3);
      way.set("open");
      await hears("after");
    } finally {
      wakes.close();
      publisher.disconnect();
      await way.stop();
    }
  });

  it("comes back after its look for the server was given up, and ends when it is told to", async () => {
    const client = clientOf(server.url) as Redis;
    await eventually(async () => client.status === "ready");
    // As a failover does that is heard of meanwhile.
    const { connector } = client as unknown as { connector: { connect(...args: unknown[]): Promise<unknown> } };
    const connect = connector.connect.bind(connector);
    let givenUp = 0;
    connector.connect = (...args) => ((givenUp += 1) > 2 ? connect(...args) : Promise.reject(new Error("given up")));
    client.disconnect(true);
    await eventually(async () => givenUp > 2 && client.status === "ready");
    expect(await client.ping()).toBe("PONG");
    client.disconnect();
    await eventually(async () => client.status === "end");
    await sleep(300);
    expect(client.status).toBe("end");
  });
});
