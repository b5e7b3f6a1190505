import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * - `open`: everything passes.
 * - `cut`: connections break, and new ones are refused at once.
 * - `hung`: connections stay, nothing passes in either direction.
 * - `deaf`: what is sent arrives, what is answered is lost.
 */
export type ProxyState = "open" | "cut" | "hung" | "deaf";

/** A way to a server that a test can disturb. */
export interface Proxy {
  /** The server's URL by this way. */
  readonly url: string;
  set(state: ProxyState): void;
  stop(): Promise<void>;
}

export async function startProxy(serverUrl: string): Promise<Proxy> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let state: ProxyState = "open";
  const server = createServer((client) => {
    if (state === "cut") return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    forward(client, upstream, () => state === "open" || state === "deaf");
    forward(upstream, client, () => state === "open");
  });
  const forward = (from: Socket, to: Socket, passes: () => boolean): void => {
    from.on("data", (data) => void (passes() && to.write(data)));
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const breakAll = (): void => sockets.forEach((socket) => void socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    set: (next) => {
      // What was swallowed is lost: the streams cannot go on where they were.
      if (next === "cut" || (next === "open" && state !== "open")) breakAll();
      state = next;
    },
    stop: async () => {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
