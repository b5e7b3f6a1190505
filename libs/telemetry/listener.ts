import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "./metrics.js";

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Shows the figures at /metrics to whoever reaches the port.
 * @throws the error of the socket where it cannot listen there.
 */
export async function listen(
  metrics: Pick<Metrics, "show" | "contentType">,
  port: number,
  host: string,
): Promise<Listener> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    const { method = "", url } = request;
    if (url !== "/metrics") return void response.writeHead(404).end();
    if (!["GET", "HEAD"].includes(method)) return void response.writeHead(405, { allow: "GET, HEAD" }).end();
    void metrics.show().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
