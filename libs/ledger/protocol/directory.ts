import type { Job, TenantBook, UserAllowanceSetting } from "../domain/index.js";
import { Gather } from "./gather.js";
import type { RecordStore, TenantConfig, TenantRow } from "./ports.js";
import type { Runtime } from "./runtime.js";

/** How old a copy of a tenant or of a job's state may be, milliseconds: a change reaches every process within this time. */
const FRESH_MS = 1_000;

interface Known extends TenantConfig {
  readonly loadedAt: number;
  /** The users' own limits that were asked for under this version of the settings. */
  readonly users: Map<string, Record<string, UserAllowanceSetting>>;
}

/**
 * What a process remembers of tenants, users and jobs so that it need not ask for each request. It only saves look-ups:
 * decisions are made on rows that the group commit has locked, and what is remembered there counts only where its
 * version is the locked one.
 */
export class Directory {
  private readonly tenants = new Map<string, Known>();
  private readonly jobs = new Map<string, { readonly job: Job; readonly loadedAt: number }>();
  private readonly loading = new Map<string, Promise<TenantConfig | null>>();
  private readonly loadingJobs = new Map<string, Promise<Job | null>>();
  private readonly findTenant: Gather<string, TenantConfig | null>;
  private readonly findJob: Gather<TenantRow, Job | null>;
  private readonly findUser: Gather<TenantRow, Record<string, UserAllowanceSetting>>;

  constructor(
    record: RecordStore,
    private readonly runtime: Runtime,
    private readonly most = 50_000,
  ) {
    this.findTenant = new Gather(runtime, (ids) => record.findTenants(ids));
    this.findJob = new Gather(runtime, (rows) => record.findJobs(rows));
    this.findUser = new Gather(runtime, (rows) => record.findUsers(rows));
  }

  /** A tenant and its settings, at most a second old; null where there is none. */
  tenant(tenantId: string): TenantConfig | Promise<TenantConfig | null> {
    const known = this.tenants.get(tenantId);
    if (known && this.runtime.now() - known.loadedAt < FRESH_MS) return known;
    let loading = this.loading.get(tenantId);
    if (!loading) {
      loading = this.load(tenantId).finally(() => this.loading.delete(tenantId));
      this.loading.set(tenantId, loading);
    }
    return loading;
  }

  private async load(tenantId: string): Promise<TenantConfig | null> {
    const asked = this.runtime.now();
    const config = await this.findTenant.find(tenantId);
    if (config) this.learnTenant(config, asked);
    return config;
  }

  /** True where the record still has this version of the tenant and its settings: asked anew, never remembered. */
  async isCurrent({ tenant: { id, configVersion } }: TenantConfig): Promise<boolean> {
    const asked = this.runtime.now();
    const config = await this.findTenant.find(id);
    if (config) this.learnTenant(config, asked);
    return config?.tenant.configVersion === configVersion;
  }

  /** A job, whose state may be of any time; null where there is none. */
  job(tenantId: string, id: string): Job | Promise<Job | null> {
    return this.knownJob(tenantId, id) ?? this.loadJob({ tenantId, id });
  }

  /** True where the job was open within the last second. */
  async isOpen(tenantId: string, id: string): Promise<boolean> {
    const known = this.jobs.get(rowKey(tenantId, id));
    const isFresh = known && this.runtime.now() - known.loadedAt < FRESH_MS;
    const job = isFresh ? known.job : await this.loadJob({ tenantId, id });
    return job?.state === "open";
  }

  private loadJob(row: TenantRow): Promise<Job | null> {
    const key = rowKey(row.tenantId, row.id);
    const loading = this.loadingJobs.get(key) ?? this.askJob(row).finally(() => this.loadingJobs.delete(key));
    this.loadingJobs.set(key, loading);
    return loading;
  }

  private async askJob(row: TenantRow): Promise<Job | null> {
    const asked = this.runtime.now();
    const job = await this.findJob.find(row);
    if (job) this.learnJob(row.tenantId, job, asked);
    return job;
  }

  /** A user's own limits by unit. */
  own(tenantId: string, user: string | null): UserLimits | Promise<UserLimits> {
    if (user === null) return {};
    const known = this.tenants.get(tenantId);
    return known?.users.get(user) ?? this.loadOwn(known, { tenantId, id: user });
  }

  private async loadOwn(known: Known | undefined, row: TenantRow): Promise<UserLimits> {
    const own = await this.findUser.find(row);
    if (known) this.learnUser(known, row.id, own);
    return own;
  }

  private learnUser({ users }: Known, user: string, own: UserLimits): void {
    users.set(user, own);
    dropOldest(users, this.most);
  }

  knownJob(tenantId: string, id: string): Job | undefined {
    return this.jobs.get(rowKey(tenantId, id))?.job;
  }

  knownTenant(tenantId: string): Known | undefined {
    return this.tenants.get(tenantId);
  }

  /** Puts into a locked book what is known under the version that was locked. */
  fill(book: TenantBook): void {
    const known = this.tenants.get(book.tenantId);
    if (!known || known.tenant.configVersion !== book.tenant?.configVersion) return;
    book.settings = known.settings;
    for (const [user, own] of known.users) book.users.fill(user, own);
  }

  /** Remembers what a committed book shows. */
  learn(book: TenantBook): void {
    for (const job of book.jobs.rows.values()) if (job) this.learnJob(book.tenantId, job, this.runtime.now());
    if (!book.tenant || !book.hasSettings) return;
    const { tenant, settings } = book;
    this.learnTenant({ tenant, settings }, this.runtime.now());
    const known = this.tenants.get(book.tenantId);
    if (known?.tenant.configVersion !== tenant.configVersion) return;
    for (const [user, own] of book.users.rows) this.learnUser(known, user, own ?? {});
  }

  private learnTenant({ tenant, settings }: TenantConfig, loadedAt: number): void {
    const known = this.tenants.get(tenant.id);
    if (known && known.tenant.configVersion > tenant.configVersion) return;
    const same = known?.tenant.configVersion === tenant.configVersion;
    this.tenants.delete(tenant.id);
    this.tenants.set(tenant.id, { tenant, settings, loadedAt, users: same ? known.users : new Map() });
    dropOldest(this.tenants, this.most);
  }

  private learnJob(tenantId: string, job: Job, loadedAt: number): void {
    const key = rowKey(tenantId, job.id);
    // A job that has ended stays so: what says otherwise was asked before.
    if (job.state === "open" && (this.jobs.get(key)?.job.state ?? "open") !== "open") return;
    this.jobs.set(key, { job, loadedAt });
    dropOldest(this.jobs, this.most);
  }
}

type UserLimits = Record<string, UserAllowanceSetting>;

function rowKey(tenantId: string, id: string): string {
  return `${tenantId}/${id}`;
}

/** A Map iterates in the order of insertion, so its first entry is its oldest. */
function dropOldest(map: Map<string, unknown>, most: number): void {
  if (map.size <= most) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
