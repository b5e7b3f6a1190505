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
});
