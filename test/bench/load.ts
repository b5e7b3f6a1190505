import { performance } from "node:perf_hooks";
import { Pool } from "undici";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Keep-alive connections to one server, one request at a time on each. */
export class Target {
  private readonly pool: Pool;

  constructor(url: string) {
    this.pool = new Pool(url, { connections: 256, pipelining: 1 });
  }

  async send(
    path: string,
    body: object,
    headers?: Record<string, string>,
    method: "POST" | "PUT" = "POST",
  ): Promise<Answer> {
    const response = await this.pool.request({
      method,
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.statusCode, body: await response.body.json() };
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

export interface Result {
  /** Operations a second. */
  readonly rate: number;
  /** Milliseconds a request. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time an operation, of the server and its databases. */
  readonly cpu: number;
}

/** One request; answers how many operations it did. Throws where the answer is not the expected one. */
export type Request = () => Promise<number>;

/** Keeps `inFlight` requests under way for `seconds`, after a fifth of that time to warm up. */
export async function measure(
  request: Request,
  inFlight: number,
  seconds: number,
  cpuSeconds: () => number,
): Promise<Result> {
  await keepBusy(request, inFlight, seconds / 5);
  const cpuBefore = cpuSeconds();
  const start = performance.now();
  const { operations, times } = await keepBusy(request, inFlight, seconds);
  const elapsed = (performance.now() - start) / 1_000;
  const cpu = ((cpuSeconds() - cpuBefore) * 1e6) / operations;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { rate: operations / elapsed, p50: at(0.5), p99: at(0.99), cpu };
}

async function keepBusy(request: Request, inFlight: number, seconds: number) {
  const end = performance.now() + seconds * 1_000;
  const times: number[] = [];
  let operations = 0;
  const worker = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      const done = await request();
      operations += done;
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { operations, times };
}
