import { once } from "node:events";
import {
  Agent,
  createServer,
  request as send,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * What happens to a request on its way.
 * - `pass`: it is answered.
 * - `drop`: it never arrives, and the connection breaks.
 * - `lose`: it arrives, and the connection breaks instead of the answer.
 * - `twice`: it arrives twice at once; the first answer goes back.
 * - `slow`: it arrives late.
 * - `fail`: it never arrives, and a gateway's 503 comes back.
 */
export type Fate = "pass" | "drop" | "lose" | "twice" | "slow" | "fail";

const SLOW_MS = 50;

interface Copy {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** A way to an HTTP server that disturbs single requests. */
export class HttpProxy {
  /** `METHOD path` of all that came, oldest first. */
  readonly seen: string[] = [];
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private fateOf: (request: string) => Fate,
  ) {
    server.on("request", (request, response) => {
      this.handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string, fateOf: (request: string) => Fate = () => "pass"): Promise<HttpProxy> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new HttpProxy(server, target, fateOf);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on requests, as `METHOD path`, meet this. */
  set(fateOf: (request: string) => Fate): void {
    this.fateOf = fateOf;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    this.agent.destroy();
    await once(this.server, "close");
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const line = `${request.method} ${request.url}`;
    this.seen.push(line);
    const fate = this.fateOf(line);
    if (fate === "drop") return void response.destroy();
    if (fate === "fail") return void response.writeHead(503, { "content-type": "text/html" }).end("<h1>busy</h1>");
    if (fate === "slow") await sleep(SLOW_MS);
    // Who goes away is gone at the server too.
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const forward = (): Promise<Copy> => this.forward(request, body, gone.signal);
    const [answer] = await Promise.all(fate === "twice" ? [forward(), forward()] : [forward()]);
    if (fate === "lose") return void response.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  private async forward({ method, url, headers }: IncomingMessage, body: Buffer, signal: AbortSignal): Promise<Copy> {
    const forwarded = send(this.target + (url ?? ""), { method, headers, agent: this.agent, signal });
    forwarded.end(body);
    const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
    const { "transfer-encoding": _, connection: __, ...kept } = answer.headers;
    const text = Buffer.concat((await answer.toArray()) as Buffer[]);
    return { status: answer.statusCode ?? 0, headers: { ...kept, "content-length": String(text.length) }, body: text };
  }
}
