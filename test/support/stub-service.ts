import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What a call met, and when, milliseconds since the stub was started. */
export interface Call {
  readonly at: number;
  readonly status: 200 | 429 | 503;
}

/** A service of so many requests a second: 429 beyond them, and 503 while it is broken. */
export class StubService {
  readonly calls: Call[] = [];
  private readonly begun = performance.now();
  private tokens: number;
  private filledAt = 0;
  private broken = false;

  private constructor(
    private readonly server: Server,
    private readonly perSecond: number,
  ) {
    this.tokens = perSecond;
    server.on("request", (_, response) => {
      const status = this.take();
      setTimeout(() => response.writeHead(status).end(), 20);
    });
  }

  static async start(perSecond: number): Promise<StubService> {
    const server = createServer();
    const stub = new StubService(server, perSecond);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  break(broken: boolean): void {
    this.broken = broken;
  }

  countOf(status: Call["status"], from = 0): number {
    return this.calls.filter((call) => call.status === status && call.at >= from).length;
  }

  /** How many calls came in each second in which any came, by its clock. */
  perSecondOfClock(): number[] {
    const seconds = new Map<number, number>();
    for (const { at } of this.calls) {
      const second = Math.floor(at / 1_000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    return [...seconds.values()];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private take(): Call["status"] {
    const at = performance.now() - this.begun;
    this.tokens = Math.min(this.perSecond, this.tokens + ((at - this.filledAt) / 1_000) * this.perSecond);
    this.filledAt = at;
    const status = this.broken ? 503 : this.tokens < 1 ? 429 : 200;
    if (status === 200) this.tokens -= 1;
    this.calls.push({ at, status });
    return status;
  }
}
