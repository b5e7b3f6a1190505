import { setTimeout as sleep } from "node:timers/promises";
import { Holdfast as Client, type FanOutOptions, type HoldfastOptions, type Worker } from "#libs/client";
import { HttpProxy } from "../support/http-proxy.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

/** A service, and clients of it by way of a proxy. */
export class ClientWorld {
  private constructor(
    readonly holdfast: Holdfast,
    readonly proxy: HttpProxy,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ClientWorld> {
    const holdfast = await startHoldfast(settings);
    return new ClientWorld(holdfast, await HttpProxy.start(holdfast.url));
  }

  /** Nothing is disturbed, and nothing was seen. */
  calm(): void {
    this.proxy.set(() => "pass");
    this.proxy.seen.length = 0;
  }

  clientOf({ key }: HttpTenant, options: Partial<HoldfastOptions> = {}): Client {
    return new Client({ baseUrl: this.proxy.url, apiKey: key, retries: { baseMs: 1, mostMs: 20 }, ...options });
  }

  /** Fans out over so many items of a tenant with 1 000 tokens, and sees that nothing is left behind. */
  async run<R>(count: number, worker: Worker<number, R>, options: Partial<FanOutOptions> = {}) {
    const tenant = await this.holdfast.tenant();
    const report = await this.clientOf(tenant).fanOut(numbers(count), worker, { ...COST, ...options });
    const { spent, reserved } = await tenant.balance();
    expect(reserved).toBe(0);
    expect(report.cost["tokens"] ?? 0).toBe(spent);
    expect(report.results.map(({ index, item }) => [index, item])).toEqual(numbers(count).map((i) => [i, i]));
    await tenant.expectAtRest();
    return { tenant, report, spent };
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.holdfast.stop();
  }
}

export const COST = { attemptCost: { tokens: 10 } };

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** What must not be called. */
export function never(): never {
  throw new Error("must not run");
}

/** What a promise rejects with; undefined where it does not. */
export function reasonOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Work that goes on once so many have been at work at the same time. */
export class Meeting {
  most = 0;
  private running = 0;

  constructor(private readonly wanted: number) {}

  async attend(ms = 5): Promise<void> {
    this.most = Math.max(this.most, (this.running += 1));
    do await sleep(ms);
    while (this.most < this.wanted);
    this.running -= 1;
  }
}
