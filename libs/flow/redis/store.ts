import { nextTick } from "node:process";
import { Cluster, type Redis } from "ioredis";
import { askOf, placesOf } from "../asks.js";
import type { Limits } from "../machines/gate.js";
import type { Outcome } from "../machines/outcome.js";
import type { Grant } from "../machines/permit.js";
import type { Turn } from "../machines/turn.js";
import {
  MOST_HELD,
  type FlowStore,
  type Permit,
  type PermitRequest,
  type ServiceLimits,
  type ServiceView,
  type Woken,
} from "../store.js";
import { waitingOf } from "../view.js";
import { decisionOf, seenIn, type Seen } from "./answers.js";
import { leasesOf, queueKeys, serviceGateKeys, tenantGateKeys, WAKE_CHANNEL } from "./keys.js";
import { heldPartsOf, partsOf, type Part } from "./parts.js";
import { defineScripts, runScript, type ScriptName } from "./scripts.js";
import { Wakes } from "./wakes.js";
import { within } from "./within.js";

export interface RedisFlowOptions {
  /** Makes a client that sends each command once or fails: no offline queue, no resending. Called for each connection. */
  readonly connect: () => Redis | Cluster;
  readonly leaseMs: number;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds, for tests; else Redis TIME. */
  readonly clock?: () => number;
}

/** Flow control shared by all processes that use one Redis. A script decides, in one round trip; in a cluster in two. */
export class RedisFlowStore implements FlowStore {
  private readonly client: Redis | Cluster;
  /** Whether one script may touch the keys of one tag alone. */
  private readonly split: boolean;
  private wakes: Wakes | undefined;
  private corked = false;

  constructor(private readonly options: RedisFlowOptions) {
    this.client = options.connect();
    this.split = this.client instanceof Cluster;
    this.client.on("error", () => {
      // Each failed call is reported by its caller.
    });
    defineScripts(this.client);
  }

  get connected(): boolean {
    return this.client.status === "ready";
  }

  async decide(request: PermitRequest, process: string | null): Promise<Turn["decision"]> {
    const granted: Grant[] = [];
    const taken: Part[] = [];
    for (const part of partsOf(request, this.split)) {
      const decision = await this.decidePart(request, part, process).catch(async (error: unknown) => {
        await this.giveBack(request, taken).catch(() => undefined);
        throw error;
      });
      if (decision.status !== "granted") {
        await this.giveBack(request, taken);
        return decision;
      }
      granted.push(decision);
      taken.push(part);
    }
    return { ...granted.at(-1)!, grantedAt: granted[0]!.grantedAt, passes: granted.flatMap(({ passes }) => passes) };
  }

  async finish(permit: Permit, outcome: Outcome, service: ServiceLimits | null): Promise<boolean> {
    const { id, tenantId, grantedAt } = permit;
    let ended = true;
    for (const { keys, gates, at } of heldPartsOf(permit, service, this.split)) {
      const waking = at.queue && { tenant: encodeURIComponent(tenantId), ...wakes(permit.service!) };
      const status = await this.run("finish", keys, { id, outcome, grantedAt, gates, at, ...waking });
      ended &&= status === "finished";
    }
    return ended;
  }

  async heartbeat({ id, tenantId, service, passes }: Permit): Promise<boolean> {
    if (service === null) return true;
    const leases = [serviceGateKeys(service), tenantGateKeys(tenantId, service)].slice(0, passes.length).map(leasesOf);
    const calls = this.split ? leases.map((key) => [key]) : [leases];
    const named = { id, leaseMs: this.options.leaseMs };
    const statuses = await Promise.all(calls.map((keys) => this.run("heartbeat", keys, named)));
    return statuses.every((status) => status === "kept");
  }

  async leave(service: string, id: string): Promise<void> {
    await this.run("leave", queueKeys(service), { id, ...wakes(service) });
  }

  async nudge(service: string, process: string): Promise<boolean> {
    return (await this.run("nudge", queueKeys(service), { process, ...wakes(service) })) === "known";
  }

  async show(service: string, limits: Limits, tenantId?: string): Promise<ServiceView> {
    if (tenantId === undefined) return this.look([...serviceGateKeys(service), ...queueKeys(service)], limits);
    // In a cluster the tenant's gate is elsewhere than the queue, which is the service's.
    const [own, whole] = await Promise.all([
      this.look(tenantGateKeys(tenantId, service), limits),
      this.show(service, {}),
    ]);
    return { ...own, waiting: waitingOf(whole.waiting, tenantId) };
  }

  async setBreaker(service: string, limits: Limits, to: "open" | "closed"): Promise<void> {
    if (to === "open" && !limits.breaker) return;
    const keys = [...serviceGateKeys(service), ...queueKeys(service)];
    await this.run("breaker", keys, { gates: [{ limits }], to, ...wakes(service) });
  }

  onWake(process: string, woken: Woken): void {
    this.wakes ??= new Wakes(this.options.connect, process, woken);
  }

  close(): void {
    this.client.disconnect();
    this.wakes?.close();
  }

  private async look(keys: readonly string[], limits: Limits): Promise<ServiceView> {
    return seenIn((await this.run("show", keys, { most: MOST_HELD })) as unknown as Seen, limits);
  }

  private async decidePart(
    request: PermitRequest,
    { keys, gates, at }: Part,
    process: string | null,
  ): Promise<Turn["decision"]> {
    const { keepMs, tenantId, service } = request;
    const answer = await this.run("permit", keys, {
      ...askOf(request, this.options.leaseMs),
      keepMs: Math.max(1, Math.ceil(keepMs)),
      gates,
      at,
      ...(at.queue && {
        tenant: encodeURIComponent(tenantId),
        ...(process !== null && { process }),
        places: placesOf(service),
        ...wakes(service?.name),
      }),
    });
    return decisionOf(answer as string[]);
  }

  /** What the service gave before the tenant refused. */
  private async giveBack({ id, cost = 1, service }: PermitRequest, taken: readonly Part[]): Promise<void> {
    for (const { keys, gates } of taken) {
      const queue = queueKeys(service!.name);
      await this.run("giveback", [...keys.slice(0, 5), ...queue], { id, cost, gates, ...wakes(service!.name) });
    }
  }

  /** Callers that were let on together ask together: what they send in one go is one write to the socket. */
  private writeTogether(): void {
    if (this.corked || this.client instanceof Cluster) return;
    const { stream } = this.client;
    stream?.cork();
    this.corked = true;
    nextTick(() => {
      this.corked = false;
      stream?.uncork();
    });
  }

  private run(name: ScriptName, keys: readonly string[], named: Record<string, unknown>): Promise<string | string[]> {
    const { clock, timeoutMs } = this.options;
    this.writeTogether();
    return within(timeoutMs, runScript(this.client, name, keys, { ...named, ...(clock && { now: clock() }) }));
  }
}

/** What a script needs to wake a waiter of the service. */
function wakes(service = ""): { channel: string; service: string } {
  return { channel: WAKE_CHANNEL, service: encodeURIComponent(service) };
}
