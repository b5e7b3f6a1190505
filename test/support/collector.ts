import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface SpanSent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SpanSent[] }[] }[];
}

/** A collector of traces that keeps what it was sent, by OTLP over HTTP in JSON. */
export class Collector {
  readonly spans: SpanSent[] = [];

  private constructor(private readonly server: Server) {
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.url === "/v1/traces") this.take(JSON.parse(Buffer.concat(chunks).toString()) as Sent);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
  }

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(traceId: string): SpanSent[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private take({ resourceSpans }: Sent): void {
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) this.spans.push(...spans);
  }
}
