import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly text: string;
  readonly event: ReceivedEvent;
}

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly tenantId: string | null;
  readonly data: Readonly<Record<string, any>>; // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** How it answers: with a status, not at all, or as it likes. */
export type Answering = number | "never" | ((response: ServerResponse) => void);

/** Whoever is told by webhooks: a real HTTP server that keeps what it was sent, whatever it answers. */
export class Receiver {
  readonly received: Received[] = [];
  /** For each request in turn, the last one for all that follow. */
  answers: Answering[] = [200];
  /** Connections, those without a request too. */
  connections = 0;
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { headers, url: path = "" } = request;
      this.received.push({ headers, path, text, event: JSON.parse(text) as ReceivedEvent });
      const answer = this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!;
      if (typeof answer === "number") response.writeHead(answer).end();
      else if (answer !== "never") answer(response);
    });
  });

  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server.on("connection", () => (receiver.connections += 1));
    receiver.server.listen(port, "127.0.0.1");
    await once(receiver.server, "listening");
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  events(type: string): ReceivedEvent[] {
    return this.received.map(({ event }) => event).filter((event) => event.type === type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}
