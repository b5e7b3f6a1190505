import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: unknown;
  readonly at: number;
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers what the test says, one reply a request; the last one for all that follow. */
export class ScriptedServer {
  readonly heard: Heard[] = [];
  private replies: Reply[] = [];

  private constructor(private readonly server: Server) {
    server.on("request", (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<ScriptedServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ScriptedServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  script(...replies: Reply[]): void {
    this.heard.length = 0;
    this.replies = replies;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.setEncoding("utf8").toArray()).join("");
    const { method = "", url: path = "", headers } = request;
    const key = headers["idempotency-key"] as string | undefined;
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    this.heard.push({ method, path, key, body, at: performance.now() });
    const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
    reply?.(response, request);
  }
}

export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

/** A refusal with this code. */
export const problem = (
  status: number,
  code: string,
  retryable: boolean,
  { retryAfter, ...more }: { retryAfter?: string } & Record<string, unknown> = {},
): Reply =>
  json(
    status,
    { type: `/docs/errors#${code}`, title: code, status, detail: code, instance: "/", code, retryable, ...more },
    retryAfter === undefined ? {} : { "retry-after": retryAfter },
  );

/** The connection breaks instead of an answer. */
export const broken: Reply = (response) => void response.destroy();

/** No answer comes. */
export const silent: Reply = () => undefined;
