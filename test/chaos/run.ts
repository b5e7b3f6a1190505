import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ADMIN_KEY } from "../support/program.js";
import { audit, type Audited } from "./auditor.js";
import { askAgain } from "./audit-again.js";
import { auditIdle } from "./audit-idle.js";
import { Clients } from "./client.js";
import type { Done, Fault, Part } from "./fault.js";
import { finding, type Finding } from "./findings.js";
import { Load } from "./load.js";
import { isDone } from "./operation.js";
import { Random } from "./random.js";
import { SWEEP_INTERVAL_MS } from "./replica.js";
import { Requests } from "./requests.js";
import { disturb, type Pace } from "./schedule.js";
import { BREATHING, FORGETTING, newService, newTenant, PROBE, SHAPES, SHARED, type Tenant } from "./tenants.js";
import { World, type RedisKind } from "./world.js";

const RECOVERED_WITHIN_MS = 60_000;
/** One sweep more than the interval, on a busy machine. */
const QUIET_MS = 2 * SWEEP_INTERVAL_MS;
/**
 * Load without any fault, so that there is something to lose, and that sweeps can be held to their figure: the shortest
 * reservations last 1 s, their deadlines are to be spread over as much as the bound of 2.5 s, and the last has it to come.
 */
const CALM_MS = 6_000;
/** What a sweep needs. Nothing else may delay it. */
const OF_SWEEPS: readonly Part[] = ["reconciler", "postgres"];

export interface Options {
  readonly seed: number;
  readonly seconds: number;
  readonly redis: RedisKind;
  readonly faults: readonly Fault[];
  readonly pace: Pace;
  /** How often each fault is there at least, whatever the time. */
  readonly rounds: number;
}

export interface Result extends Pick<Options, "seed" | "seconds" | "redis"> {
  readonly operations: number;
  /** With their retries. */
  readonly requests: number;
  /** Answers that clients never got. */
  readonly unknown: number;
  readonly acknowledged: number;
  readonly faults: readonly Done[];
  readonly findings: readonly Finding[];
  /** Those that a sweep was held to. */
  readonly deadlines: number;
  /** From the end of the last fault until every replica was ready and admitted, under load. */
  readonly recoveryMs: number;
}

/** One run from nothing to nothing, in a world that the caller may stop before its time. */
export async function run(options: Options, world = new World()): Promise<Result> {
  try {
    await world.start(options.redis);
    const urls = world.apis.map(({ url }) => url);
    const clients = new Clients(urls, ADMIN_KEY);
    return await new Run(options, world, clients).result().finally(() => clients.close());
  } finally {
    await world.stop();
  }
}

class Run {
  private readonly random: Random;
  private readonly tenants: Tenant[] = [];

  constructor(
    private readonly options: Options,
    private readonly world: World,
    private readonly clients: Clients,
  ) {
    this.random = new Random(options.seed);
  }

  async result(): Promise<Result> {
    const { options, clients, random, tenants } = this;
    for (const shape of [...SHAPES, BREATHING, FORGETTING, PROBE]) tenants.push(await newTenant(clients, shape));
    await newService(clients, SHARED, tenants);
    const { faults, recoveryMs } = await this.disturbed();
    await sleep(QUIET_MS);
    const found = [
      ...(await askAgain(clients, random.fork(5))),
      ...(await auditIdle(clients, tenants, random.fork(3))),
    ];
    const { findings, deadlines } = await this.audited(faults);
    found.push(...findings, ...this.crashes());
    if (deadlines === 0) found.push(finding("other", "no deadline passed in quiet times: no sweep could be judged"));
    const replies = clients.log.flatMap((operation) => operation.replies);
    const { seed, seconds, redis } = options;
    return {
      ...{ seed, seconds, redis, faults, findings: found, deadlines, recoveryMs },
      operations: clients.log.length,
      requests: clients.requests,
      unknown: replies.filter((reply) => reply === "unknown").length,
      acknowledged: replies.filter((reply) => reply !== "unknown" && isDone(reply)).length,
    };
  }

  /** All of it under load. */
  private async disturbed(): Promise<Pick<Result, "faults" | "recoveryMs">> {
    const { options, world, random } = this;
    const load = new Load(this.clients, this.tenants, random.fork(1));
    try {
      await sleep(CALM_MS);
      const time = { ms: options.seconds * 1_000, rounds: options.rounds };
      const faults = await disturb(options.faults, options.pace, { world, random: random.fork(2) }, time);
      return { faults, recoveryMs: await this.recovery() };
    } finally {
      await load.stop();
    }
  }

  private async recovery(): Promise<number> {
    const start = performance.now();
    const probe = this.tenants.at(-1)!;
    // Keys of this run alone: what a probe left unanswered must not be taken for a new admission.
    const requests = new Requests(this.random.fork(4), `probe-${randomBytes(4).toString("hex")}`);
    for (const url of this.clients.urls) {
      while (!(await this.serves(url, probe, requests))) {
        if (performance.now() - start > RECOVERED_WITHIN_MS) throw new Error(`${url} did not recover`);
        await sleep(20);
      }
    }
    return performance.now() - start;
  }

  /** Ready, and a new job with a new reservation is admitted. */
  private async serves(url: string, probe: Tenant, requests: Requests): Promise<boolean> {
    const ready = await this.clients.call(url, probe.key, "GET", "/health/ready").catch(() => null);
    if (ready?.status !== 200) return false;
    const job = await this.clients.ask(url, requests.createJob(probe));
    if (job === "unknown" || !isDone(job)) return false;
    const reply = await this.clients.ask(url, requests.reserveAt(probe, job.body.id, { amounts: { units: 1 } }));
    return reply !== "unknown" && isDone(reply);
  }

  private async audited(faults: readonly Done[]): Promise<Audited> {
    const client = new pg.Client({ connectionString: this.world.postgres.url });
    await client.connect();
    const disturbances = faults
      .filter(({ part }) => OF_SWEEPS.includes(part))
      .map(({ startedAt, tookMs }) => ({ from: startedAt, to: startedAt + tookMs }));
    try {
      const { tenants, clients } = this;
      const sweepIntervalMs = SWEEP_INTERVAL_MS;
      return await audit({ client, tenants, services: [SHARED], log: clients.log, sweepIntervalMs, disturbances });
    } finally {
      await client.end();
    }
  }

  private crashes(): Finding[] {
    return this.world.replicas.flatMap(({ crashes }) => crashes.map((what) => finding("other", what)));
  }
}
