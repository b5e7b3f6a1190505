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
  /** From now on it leads to this server: what is open breaks, and who connects again is there. */
  aim(serverUrl: string): void;
  /**
   * What is open passes on so many more bytes of answers, and then breaks in the middle of whatever it is; what has
   * not broken until the next `set` goes on.
   */
  cutAnswers(afterBytes: number): void;
  /** Until the next `set`, a connection breaks instead of passing on anything that matches. */
  cutWhenSent(pattern: RegExp, onCut: () => void): void;
  stop(): Promise<void>;
}

export async function startProxy(serverUrl: string): Promise<Proxy> {
  const ways = new Ways(new URL(serverUrl));
  const server = createServer((client) => ways.open(client));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    set: (state) => ways.set(state),
    aim: (next) => ways.aim(new URL(next)),
    cutAnswers: (afterBytes) => ways.cutAnswers(afterBytes),
    cutWhenSent: (pattern, onCut) => ways.cutWhenSent(pattern, onCut),
    stop: async () => {
      ways.breakAll();
      server.close();
      await once(server, "close");
    },
  };
}

/** The connections through a proxy. */
class Ways {
  private readonly sockets = new Set<Socket>();
  /** Bytes that may still be answered, by the server's end of a connection; without an entry, all. */
  private readonly left = new Map<Socket, number>();
  private state: ProxyState = "open";
  private cutting: { readonly pattern: RegExp; readonly onCut: () => void } | undefined;

  constructor(private target: URL) {}

  open(client: Socket): void {
    if (this.state === "cut") return void client.destroy();
    const upstream = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    client.on("data", (data) => this.pass(data, client, upstream));
    upstream.on("data", (data) => void (this.state === "open" && this.answer(data, upstream, client)));
    this.endTogether(client, upstream);
    this.endTogether(upstream, client);
  }

  set(next: ProxyState): void {
    // What was swallowed is lost: the streams cannot go on where they were.
    if (next === "cut" || (next === "open" && this.state !== "open")) this.breakAll();
    this.left.clear();
    this.cutting = undefined;
    this.state = next;
  }

  aim(target: URL): void {
    this.target = target;
    this.breakAll();
  }

  cutAnswers(afterBytes: number): void {
    for (const socket of this.sockets) this.left.set(socket, afterBytes);
  }

  cutWhenSent(pattern: RegExp, onCut: () => void): void {
    this.cutting = { pattern, onCut };
  }

  breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(data: Buffer, client: Socket, upstream: Socket): void {
    if (this.cutting?.pattern.test(data.toString("latin1"))) {
      client.destroy();
      this.cutting.onCut();
    } else if (this.state === "open" || this.state === "deaf") {
      upstream.write(data);
    }
  }

  private answer(data: Buffer, upstream: Socket, client: Socket): void {
    const left = this.left.get(upstream) ?? Infinity;
    if (data.length <= left) {
      client.write(data);
      if (left !== Infinity) this.left.set(upstream, left - data.length);
      return;
    }
    client.write(data.subarray(0, left), () => client.destroy());
    this.left.set(upstream, 0);
  }

  private endTogether(one: Socket, other: Socket): void {
    one.on("close", () => {
      this.sockets.delete(one);
      this.left.delete(one);
      other.destroy();
    });
  }
}
