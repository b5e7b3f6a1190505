import { setTimeout as sleep } from "node:timers/promises";
import type { Amounts } from "#libs/plan";
import { breathe } from "./breather.js";
import type { Clients } from "./client.js";
import { forget } from "./forgetter.js";
import { acknowledged, type Logged, type Request } from "./operation.js";
import { Operator } from "./operator.js";
import type { Random } from "./random.js";
import { Requests } from "./requests.js";
import { BREATHING, FORGETTING, type Tenant } from "./tenants.js";

const LANES = 24;
const LONGEST_THOUGHT_MS = 40;
const MOST_JOBS = 12;
const MOST_OPEN = 150;

const MIX = { createJob: 7, endJob: 3, reserve: 48, settle: 30, release: 8, extend: 6, charge: 20 };

/** Clients that work without a pause, each on its own, and an operator who changes limits under them. */
export class Load {
  private over = false;
  /** Those that lanes work for. */
  private readonly tenants: readonly Tenant[];
  private readonly lanes: Promise<void>[];

  constructor(
    private readonly clients: Clients,
    tenants: readonly Tenant[],
    random: Random,
  ) {
    this.tenants = tenants.filter(({ weight }) => weight > 0);
    this.lanes = Array.from({ length: LANES }, (_, i) => this.lane(random.fork(i), `client${i}`));
    const isOver = (): boolean => this.over;
    const breathing = tenants.find(({ name }) => name === BREATHING.name)!;
    this.lanes.push(new Operator(clients, this.tenants, random.fork(LANES)).work(isOver));
    this.lanes.push(breathe(clients, breathing, random.fork(LANES + 1), isOver));
    const forgetting = tenants.find(({ name }) => name === FORGETTING.name)!;
    this.lanes.push(forget(clients, forgetting, random.fork(LANES + 2), isOver));
  }

  /** Ends the load: what is under way gets its answers first. */
  async stop(): Promise<void> {
    this.over = true;
    await Promise.all(this.lanes);
  }

  private async lane(random: Random, name: string): Promise<void> {
    const requests = new Requests(random, name);
    const weights = Object.fromEntries(this.tenants.map(({ weight }, i) => [i, weight]));
    while (!this.over) {
      const tenant = this.tenants[Number(random.weighted(weights))]!;
      const count = random.chance(0.08) ? random.int(2, 12) : 1;
      const asked = Array.from({ length: count }, () => next(tenant, random, requests));
      for (const done of await this.clients.perform(asked, random)) remember(done);
      await sleep(random.int(0, LONGEST_THOUGHT_MS));
    }
  }
}

function next(tenant: Tenant, random: Random, requests: Requests): Request {
  const { jobs, open } = tenant;
  if (jobs.length === 0) return requests.createJob(tenant);
  const kind = random.weighted(MIX);
  if (kind === "createJob" || (kind === "endJob" && jobs.length < 3)) return requests.createJob(tenant);
  if (kind === "endJob") return requests.endJob(tenant);
  if (open.length > MOST_OPEN) return requests.settle(tenant);
  if (kind === "reserve" || open.length === 0) return requests.reserve(tenant);
  return requests[kind](tenant);
}

/** What is there now for others to work with. */
function remember(done: Logged): void {
  const { jobs, open } = done.tenant;
  const [first] = acknowledged(done);
  if (!first) return;
  if (done.kind === "createJob") {
    jobs.push(first.body.id);
    if (jobs.length > MOST_JOBS) jobs.shift();
  }
  if (done.kind === "reserve") open.push({ id: first.body.id, reserved: first.body["reserved"] as Amounts });
}
