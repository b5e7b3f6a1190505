import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Body, Result } from "../support/http.js";
import { isOpen, type Logged, type Reply, type Request } from "./operation.js";
import type { Random } from "./random.js";

const MOST_TRIES = 14;
const PATIENCE_MS = 4_000;
const SHORT_PATIENCE_MS = 150;
const LONGEST_PAUSE_MS = 1_000;

/** Clients of all replicas: what is not known is asked again, of another one, under the same key. Everything is written down. */
export class Clients {
  readonly log: Logged[] = [];
  /** Requests that were sent, retries too. */
  requests = 0;
  private readonly agent = new Agent({ connections: 64, connectTimeout: 1_000 });

  constructor(
    readonly urls: readonly string[],
    private readonly adminKey: string,
  ) {}

  /** Sends requests of one tenant, several of them as one batch, until each has an answer or the bound is reached. */
  async perform(asked: readonly Request[], random: Random): Promise<Logged[]> {
    const operations = asked.map((each): Logged => ({
      ...each,
      sentAt: performance.now(),
      answeredAt: 0,
      replies: [],
    }));
    this.log.push(...operations);
    let replica = random.int(0, this.urls.length - 1);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const open = operations.filter(isOpen);
      if (open.length === 0) break;
      if (tries > 0) await sleep(random.int(1, Math.min(LONGEST_PAUSE_MS, 50 * 2 ** tries)));
      // Now and then a client gives up early, or asks two replicas at once.
      const patience = random.chance(0.03) ? SHORT_PATIENCE_MS : PATIENCE_MS;
      const twice = random.chance(0.05);
      const at = [replica, ...(twice ? [replica + 1] : [])].map((i) => this.urls[i % this.urls.length]!);
      await Promise.all(at.map((url) => this.send(url, open, patience)));
      replica += 1;
    }
    for (const operation of operations) operation.answeredAt = performance.now();
    return operations;
  }

  /** Sends one request to one replica, once. */
  async ask(url: string, asked: Request): Promise<Reply> {
    const operation: Logged = { ...asked, sentAt: performance.now(), answeredAt: 0, replies: [] };
    this.log.push(operation);
    await this.send(url, [operation], PATIENCE_MS);
    operation.answeredAt = performance.now();
    return operation.replies[0]!;
  }

  /** Sends what is in the log already once more, and writes the answer down with the others. */
  async askAgain(url: string, operation: Logged): Promise<Reply> {
    await this.send(url, [operation], PATIENCE_MS);
    return operation.replies.at(-1)!;
  }

  /** Reads, and whatever else is no part of the log. */
  async call(url: string, key: string, method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<Answer> {
    this.requests += 1;
    const response = await request(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json" }),
      },
      body: body ? JSON.stringify(body) : null,
      dispatcher: this.agent,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.statusCode, body: (await response.body.json()) as Body };
  }

  admin(url: string, method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<Answer> {
    return this.call(url, this.adminKey, method, `/v1/admin/${path}`, body);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async send(url: string, operations: readonly Logged[], patienceMs: number): Promise<void> {
    const replies = await this.replies(url, operations, patienceMs).catch(() => operations.map((): Reply => "unknown"));
    operations.forEach((operation, i) => operation.replies.push(replies[i]!));
  }

  private async replies(url: string, operations: readonly Logged[], patienceMs: number): Promise<Reply[]> {
    const [first] = operations as [Logged];
    const asBatch = operations.length > 1;
    this.requests += 1;
    const response = await request(url + (asBatch ? "/v1/batch" : first.path), {
      method: asBatch ? "POST" : first.method,
      headers: this.headers(first, asBatch),
      body: asBatch
        ? JSON.stringify({ operations: operations.map(({ inBatch }) => inBatch) })
        : first.body
          ? JSON.stringify(first.body)
          : null,
      dispatcher: this.agent,
      signal: AbortSignal.timeout(patienceMs),
    });
    const body = (await response.body.json()) as Body;
    const status = response.statusCode;
    if (asBatch && status === 200) return body.results.map(replyOf);
    const replayed = response.headers["idempotency-replayed"] === "true";
    return operations.map(() => ({ status, body, replayed }));
  }

  private headers({ tenant, admin, body, key }: Logged, asBatch: boolean): Record<string, string> {
    return {
      authorization: `Bearer ${admin ? this.adminKey : tenant.key}`,
      ...((asBatch || body) && { "content-type": "application/json" }),
      ...(!asBatch && key !== null && { "idempotency-key": key }),
    };
  }
}

export interface Answer {
  readonly status: number;
  readonly body: Body;
}

function replyOf({ status, body, replayed }: Result): Reply {
  return { status, body, replayed: replayed === true };
}
