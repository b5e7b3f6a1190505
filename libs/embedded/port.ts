import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections (from 32 768 on): a server that is started again on its port
 * would find such a one taken, for as long as somebody's connection lasts.
 */
const PORTS = [20_000, 32_000] as const;
const MOST_TRIES = 100;

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(...PORTS);
    if ((await isFree(port)) || tries === MOST_TRIES) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
