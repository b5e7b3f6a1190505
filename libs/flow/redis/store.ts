import type { Cluster, Redis } from "ioredis";
import { askOf, placesOf } from "../asks.js";
import { startAdaptive } from "../machines/adaptive.js";
import { closedBreaker } from "../machines/breaker.js";
import { newGate, type Gate, type Limits } from "../machines/gate.js";
import type { Outcome } from "../machines/outcome.js";
import type { Refusal, RefusalReason } from "../machines/permit.js";
import type { Turn } from "../machines/turn.js";
import { viewOf } from "../view.js";
import type { FlowStore, Permit, PermitRequest, ServiceLimits, ServiceView } from "../store.js";
import { attemptsKey, leasesOf, queueKeys, retriesKey, serviceGateKeys, tenantGateKeys, WAKE_CHANNEL } from "./keys.js";
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

/** Flow control shared by all processes that use one Redis. A script decides, in one round trip. */
export class RedisFlowStore implements FlowStore {
  private readonly client: Redis | Cluster;
  private wakes: Wakes | undefined;

  constructor(private readonly options: RedisFlowOptions) {
    this.client = options.connect();
    this.client.on("error", () => {
      // Each failed call is reported by its caller.
    });
    defineScripts(this.client);
  }

  get connected(): boolean {
    return this.client.status === "ready";
  }

  async decide(request: PermitRequest, process: string | null): Promise<Turn["decision"]> {
    const { tenantId, jobId, reservationId, service, keepMs } = request;
    const gates = service ? gatesOf(service, tenantId) : [];
    const keys = gates.flatMap((gate) => gate.keys);
    const at = {
      attempts: keys.length + 1,
      retries: keys.length + 2,
      ...(service?.limits.queue && { queue: keys.length + 3 }),
    };
    keys.push(attemptsKey(tenantId, reservationId), retriesKey(tenantId, jobId));
    if (service?.limits.queue) keys.push(...queueKeys(service.name));
    const ask = askOf(request, this.options.leaseMs);
    const answer = await this.run("permit", keys, {
      ...ask,
      tenant: encodeURIComponent(ask.tenant),
      keepMs,
      gates: gates.map(({ scope, limits }) => ({ scope, limits })),
      at,
      ...(process !== null && { process }),
      places: placesOf(service),
    });
    return decisionOf(answer as string[]);
  }

  async finish(permit: Permit, outcome: Outcome, service: ServiceLimits | null): Promise<boolean> {
    if (permit.service === null) return true;
    const { id, tenantId, grantedAt, passes } = permit;
    const { limits = {}, tenantLimits = {} } = service ?? {};
    const gates = gatesOf({ name: permit.service, limits, tenantLimits }, tenantId).slice(0, passes.length);
    const keys = [...gates.flatMap((gate) => gate.keys), ...queueKeys(permit.service)];
    const status = await this.run("finish", keys, {
      id,
      tenant: encodeURIComponent(tenantId),
      outcome,
      grantedAt,
      gates: gates.map((gate, i) => ({ limits: gate.limits, ...passes[i] })),
      at: { queue: 5 * gates.length + 1 },
    });
    return status === "finished";
  }

  async heartbeat({ id, tenantId, service, passes }: Permit): Promise<boolean> {
    if (service === null) return true;
    const gates = [serviceGateKeys(service), tenantGateKeys(tenantId, service)].slice(0, passes.length);
    return (await this.run("heartbeat", gates.map(leasesOf), { id, leaseMs: this.options.leaseMs })) === "kept";
  }

  async leave(service: string, id: string): Promise<void> {
    await this.run("leave", queueKeys(service), { id });
  }

  async nudge(service: string, process: string): Promise<void> {
    await this.run("nudge", queueKeys(service), { process });
  }

  async show(service: string, limits: Limits): Promise<ServiceView> {
    const answer = await this.run("show", [...serviceGateKeys(service), ...queueKeys(service)], {});
    return seenIn(answer.slice(1) as string[], limits);
  }

  async setBreaker(service: string, limits: Limits, to: "open" | "closed"): Promise<void> {
    if (to === "open" && !limits.breaker) return;
    await this.run("breaker", [...serviceGateKeys(service), ...queueKeys(service)], { gates: [{ limits }], to });
  }

  onWake(process: string, woken: (waiterId: string) => void): void {
    this.wakes ??= new Wakes(this.options.connect, process, woken);
  }

  close(): void {
    this.client.disconnect();
    this.wakes?.close();
  }

  private run(name: ScriptName, keys: readonly string[], named: Record<string, unknown>): Promise<string | string[]> {
    const { clock, timeoutMs } = this.options;
    const all = { ...named, channel: WAKE_CHANNEL, ...(clock && { now: clock() }) };
    return within(timeoutMs, runScript(this.client, name, keys, all));
  }
}

interface KeyedGate {
  readonly scope: "service" | "tenant";
  readonly limits: Limits;
  readonly keys: string[];
}

function gatesOf({ name, limits, tenantLimits }: ServiceLimits, tenantId: string): KeyedGate[] {
  const service: KeyedGate = { scope: "service", limits, keys: serviceGateKeys(name) };
  if (!tenantLimits) return [service];
  return [service, { scope: "tenant", limits: tenantLimits, keys: tenantGateKeys(tenantId, name) }];
}

function decisionOf([status, ...rest]: readonly string[]): Turn["decision"] {
  if (status === "granted") {
    const [attempt, grantedAt, ...numbers] = rest.map(Number);
    const passes = Array.from({ length: numbers.length / 2 }, (_, i) => ({
      epoch: numbers[2 * i]!,
      round: numbers[2 * i + 1]!,
    }));
    return { status, attempt: attempt!, grantedAt: grantedAt!, passes };
  }
  if (status === "waiting") return { status, retryAfterMs: msOf(rest[0]!) };
  const [reason, scope, wait] = rest;
  return {
    status: "refused",
    reason: reason as RefusalReason,
    scope: scope as Refusal["scope"],
    retryAfterMs: msOf(wait!),
  };
}

function msOf(text: string): number | null {
  return text === "" ? null : Number(text);
}

function seenIn(answer: readonly string[], limits: Limits): ServiceView {
  const [time, inFlight, level, at, openUntil, limit, ...waiting] = answer;
  const gate: Gate = {
    ...newGate(),
    bucket: level === "" ? null : { level: Number(level), at: Number(at) },
    breaker: { ...closedBreaker(), openUntil: openUntil === "0" ? null : Number(openUntil) },
    adaptive: { ...startAdaptive(), ...(limit !== "" && { limit: Number(limit) }) },
  };
  const lines = Array.from({ length: waiting.length / 2 }, (_, i): [string, number] => [
    decodeURIComponent(waiting[2 * i]!),
    Number(waiting[2 * i + 1]),
  ]);
  return viewOf(gate, limits, { inFlight: Number(inFlight), waiting: Object.fromEntries(lines) }, Number(time));
}
