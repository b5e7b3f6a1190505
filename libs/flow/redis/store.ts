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
import type { Answer, Named } from "./batch.js";
import { queueKeys, tagOf, WAKE_CHANNEL } from "./keys.js";
import { heldPartsOf, partsOf, serviceGate, tenantGate, type Part } from "./parts.js";
import { defineScripts, runScript, type ScriptName } from "./scripts.js";
import { Together } from "./together.js";
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

/** Flow control shared by all processes that use one Redis. A script decides, in one round trip; in a cluster in two (ADR 0017). */
export class RedisFlowStore implements FlowStore {
  private readonly client: Redis | Cluster;
  /** Whether one script may touch the keys of one tag alone. */
  private readonly split: boolean;
  private readonly together: Together;
  private wakes: Wakes | undefined;

  constructor(private readonly options: RedisFlowOptions) {
    this.client = options.connect();
    this.split = this.client instanceof Cluster;
    this.client.on("error", () => {
      // Each failed call is reported by its caller.
    });
    defineScripts(this.client);
    this.together = new Together((name, batch) => within(options.timeoutMs, runScript(this.client, name, batch)));
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
    const waking = permit.service !== null && { tenant: encodeURIComponent(tenantId), ...wakes(permit.service) };
    let ended = true;
    for (const { part, passes } of heldPartsOf(permit, service, this.split)) {
      const status = await this.run("finish", part, { id, outcome, grantedAt, passes, ...waking });
      ended &&= status === "finished";
    }
    return ended;
  }

  async heartbeat(permit: Permit): Promise<boolean> {
    const { id } = permit;
    const named = { id, leaseMs: this.options.leaseMs };
    const parts = heldPartsOf(permit, null, this.split);
    const statuses = await Promise.all(parts.map(({ part }) => this.run("heartbeat", part, named)));
    return statuses.every((status) => status === "kept");
  }

  async leave(service: string, id: string): Promise<void> {
    await this.run("leave", { gates: [], queue: queueKeys(service) }, { id, ...wakes(service) });
  }

  async nudge(service: string, process: string): Promise<boolean> {
    const part = { gates: [], queue: queueKeys(service) };
    return (await this.run("nudge", part, { process, ...wakes(service) })) === "known";
  }

  async show(service: string, limits: Limits, tenantId?: string): Promise<ServiceView> {
    if (tenantId === undefined) {
      return this.look({ gates: [serviceGate(service, {})], queue: queueKeys(service) }, limits);
    }
    // In a cluster the tenant's gate is elsewhere than the queue, which is the service's.
    const [own, whole] = await Promise.all([
      this.look({ gates: [tenantGate(tenantId, service, {})] }, limits),
      this.show(service, {}),
    ]);
    return { ...own, waiting: waitingOf(whole.waiting, tenantId) };
  }

  async setBreaker(service: string, limits: Limits, to: "open" | "closed"): Promise<void> {
    if (to === "open" && !limits.breaker) return;
    const part = { gates: [serviceGate(service, limits)], queue: queueKeys(service) };
    await this.run("breaker", part, { to, ...wakes(service) });
  }

  onWake(process: string, woken: Woken): void {
    this.wakes ??= new Wakes(this.options.connect, process, woken);
  }

  close(): void {
    this.client.disconnect();
    this.wakes?.close();
  }

  private async look(part: Part, limits: Limits): Promise<ServiceView> {
    return seenIn((await this.run("show", part, { most: MOST_HELD })) as Seen, limits);
  }

  private async decidePart(request: PermitRequest, part: Part, process: string | null): Promise<Turn["decision"]> {
    const { keepMs, tenantId, service } = request;
    const answer = await this.run("permit", part, {
      ...askOf(request, this.options.leaseMs),
      keepMs: Math.max(1, Math.ceil(keepMs)),
      ...(part.queue && {
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
    for (const { gates } of taken) {
      const { name } = service!;
      await this.run("giveback", { gates: gates.slice(0, 1), queue: queueKeys(name) }, { id, cost, ...wakes(name) });
    }
  }

  private run(name: ScriptName, part: Part, named: Named): Promise<Answer> {
    const { clock } = this.options;
    const [key] = part.gates[0]?.keys ?? part.queue ?? [part.attempts!];
    const slot = this.split ? tagOf(key!) : "";
    return this.together.ask(name, slot, part, { ...named, ...(clock && { now: clock() }) });
  }
}

/** What a script needs to wake a waiter of the service. */
function wakes(service = ""): { channel: string; service: string } {
  return { channel: WAKE_CHANNEL, service: encodeURIComponent(service) };
}
