import { createServer, connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import { within } from "./within.js";

describe("the wait for an answer", () => {
  it("ends when it has been long enough", async () => {
    await expect(within(10, new Promise(() => undefined))).rejects.toThrow("within 10 ms");
  });

  it("takes an answer that came while this process was too busy to read it", async () => {
    const server = createServer((socket) => void socket.end("answer")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    await once(socket, "connect");
    const answer = within(20, once(socket, "data"));
    const until = performance.now() + 100;
    while (performance.now() < until);
    await expect(answer).resolves.toBeDefined();
    server.close();
  });
});
