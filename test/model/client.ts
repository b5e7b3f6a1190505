import type { Command } from "#libs/ledger";
import { cutRequest, type CutAt } from "../support/cut.js";
import type { Answer, HttpTenant } from "../support/http.js";
import { operationOf, requestOf, type Got } from "./requests.js";
import type { How } from "./steps.js";

/** A tenant's client and its operator, who send commands to any of the processes. */
export class Client {
  constructor(readonly at: readonly HttpTenant[]) {}

  next(turn: number): HttpTenant {
    return this.at[turn % this.at.length]!;
  }

  async send(turn: number, command: Command): Promise<Got> {
    const { method, path, body, key, isAdmin } = requestOf(command);
    const { holdfast, key: tenantKey } = this.next(turn);
    const headers = { "idempotency-key": key };
    const answer = isAdmin
      ? await holdfast.admin(method, path, body, headers)
      : await holdfast.call(tenantKey, method, path, body, headers);
    return gotFrom(answer);
  }

  /** The same at every process, at once. */
  sendToAll(command: Command): Promise<Got[]> {
    return Promise.all(this.at.map((_, turn) => this.send(turn, command)));
  }

  /** Operations of one batch, each with what its own route would have answered. */
  async batch(turn: number, commands: readonly Command[]): Promise<Got[]> {
    const operations = commands.map(operationOf);
    const { status, body } = await this.next(turn).call("POST", "/v1/batch", { operations });
    expect(status).toBe(200);
    return body.results.map((result) => ({ ...result, replayed: result.replayed ?? false }));
  }

  /** Sends and goes away. */
  async cut(turn: number, command: Command, at: CutAt): Promise<void> {
    const { method, path, body, key, isAdmin } = requestOf(command);
    const { holdfast, key: tenantKey } = this.next(turn);
    const headers = {
      authorization: `Bearer ${isAdmin ? holdfast.adminKey : tenantKey}`,
      ...(body && { "content-type": "application/json" }),
      ...(key !== null && { "idempotency-key": key }),
    };
    await cutRequest(holdfast.url + path, { method, headers, body: body ? JSON.stringify(body) : "" }, at);
  }

  /**
   * When a client that sends the command so goes away; null where it stays. What is cut once it was sent may still be
   * under way long after: only a command that is done by then, and that changes nothing when it comes again, is cut so.
   */
  cutAt(command: Command, how: How, willBeDone: () => boolean): CutAt | null {
    if (how !== "half" && how !== "sent" && how !== "answered") return null;
    if (how === "half" && requestOf(command).body) return how;
    const standsStill = isKeyed(command) || command.type === "settle" || command.type === "release";
    return how === "sent" && standsStill && willBeDone() ? how : "answered";
  }
}

/** True where the command has a key that keeps its answer. */
export function isKeyed(command: Command): boolean {
  return requestOf(command).key !== null;
}

function gotFrom({ status, headers, body }: Answer): Got {
  const isProblem = status >= 400;
  expect(headers.get("content-type")).toContain(isProblem ? "application/problem+json" : "application/json");
  expect(headers.get("x-should-retry")).toBe(status === 402 ? "false" : null);
  return { status, replayed: headers.get("idempotency-replayed") === "true", body };
}
