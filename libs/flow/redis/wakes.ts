import type { Cluster, Redis } from "ioredis";
import type { Woken } from "../store.js";
import { WAKE_CHANNEL } from "./keys.js";

/** The one connection on which a process hears whose turn it is. What is lost while it is away is found by a nudge. */
export class Wakes {
  private readonly client: Redis | Cluster;

  constructor(connect: () => Redis | Cluster, process: string, woken: Woken) {
    this.client = connect();
    this.client.on("error", () => {
      // It connects again by itself; until then nobody is woken from elsewhere.
    });
    const subscribe = (): void => void this.client.subscribe(WAKE_CHANNEL + process).catch(() => undefined);
    this.client.on("ready", subscribe);
    if (this.client.status === "ready") subscribe();
    this.client.on("message", (_, message: string) => {
      const [service, waiterId] = message.split(" ");
      woken(decodeURIComponent(service!), waiterId!);
    });
  }

  close(): void {
    this.client.disconnect();
  }
}
