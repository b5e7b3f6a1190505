import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What every call that is answered uses: 6 tokens afresh, 4 from the cache, 20 generated. */
const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 20,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 4 },
};
export const TOKENS = USAGE.total_tokens;

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

/** A model provider that speaks OpenAI's chat completions. The model `refuses` answers 400, `breaks` 500, `hangs` never ends. */
export class StubModel {
  readonly calls: string[] = [];
  /** Called at each call, before its answer. */
  onCall: () => unknown = () => undefined;

  private constructor(private readonly server: Server) {
    server.on("request", (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<StubModel> {
    const server = createServer();
    const stub = new StubModel(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const asked = JSON.parse(text) as Asked;
    this.calls.push(asked.model);
    await this.onCall();
    const status = { refuses: 400, breaks: 500 }[asked.model];
    if (status !== undefined) json(response, status, { error: { message: "no" } });
    else if (asked.stream) stream(response, asked);
    else json(response, 200, completion({ message: { role: "assistant", content: "hello" } }, USAGE));
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function stream(response: ServerResponse, { model, stream_options }: Asked): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
  for (const content of ["hel", "lo"]) send(completion({ delta: { role: "assistant", content } }, null));
  if (model === "hangs") return;
  send(completion({ delta: {}, finish_reason: "stop" }, null));
  if (stream_options?.include_usage) send({ ...completion({}, USAGE), choices: [] });
  response.end("data: [DONE]\n\n");
}

function completion(choice: object, usage: object | null): object {
  const choices = [{ index: 0, finish_reason: null, ...choice }];
  return { id: "c", object: "chat.completion", created: 0, model: "a-model-2026", choices, usage };
}
