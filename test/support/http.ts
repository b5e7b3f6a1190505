import { Redis } from "ioredis";
import pg from "pg";
import { Agent, fetch } from "undici";
import { fresh } from "./commands.js";
import { expectAtRest } from "./http-at-rest.js";
import { startProcess, type HoldfastProcess } from "./program.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "./services.js";

/** What any route may answer: the members that tests read most have their types. */
export interface Body {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly key: string;
  readonly scope: { readonly kind: string; readonly id: string };
  readonly results: readonly Result[];
  readonly [member: string]: unknown;
}

export interface Result {
  readonly status: number;
  readonly body: Body;
  readonly replayed?: true;
}

export interface Answer extends Result {
  readonly headers: { get(name: string): string | null };
}

export interface BalanceView {
  readonly scope: { readonly kind: string; readonly id: string };
  readonly unit: string;
  readonly window: string;
  readonly limit: number | "unlimited";
  readonly reserved: number;
  readonly spent: number;
  readonly available: number;
  readonly overage: number;
}

type Headers = Readonly<Record<string, string | null>>;

/** API and reconciler in a process of their own, as they are deployed, on a database of their own. */
export class Holdfast {
  readonly record: pg.Pool;
  readonly redis = new Redis(redisUrl());
  /** Answers of 500 and above. */
  readonly serverErrors: string[] = [];
  private readonly agent: Agent;

  constructor(
    private readonly process: HoldfastProcess,
    private readonly database: FreshDatabase,
    connections = 100,
  ) {
    this.agent = new Agent({ connections });
    this.record = new pg.Pool({ connectionString: database.url, max: 2 });
    this.record.on("error", () => undefined);
  }

  get url(): string {
    return this.process.url;
  }

  get adminKey(): string {
    return this.process.adminKey;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  async stop(): Promise<void> {
    await this.agent.close();
    await this.process.end("SIGTERM");
    await this.redis.quit();
    await this.record.end();
    await this.database.drop();
  }

  /** A body that is text is sent as it is. A POST has a key of its own unless one is given; a header of null is left out. */
  async call(
    key: string,
    method: string,
    path: string,
    body?: object | string,
    headers: Headers = {},
  ): Promise<Answer> {
    const given: Headers = {
      authorization: `Bearer ${key}`,
      "content-type": body === undefined ? null : "application/json",
      "idempotency-key": method === "POST" ? fresh("K") : null,
      ...headers,
    };
    const response = await fetch(this.url + path, {
      method,
      headers: Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== null)),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      dispatcher: this.agent,
    });
    const text = await response.text();
    if (response.status >= 500) this.serverErrors.push(`${method} ${path}: ${response.status} ${text}`);
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : { text }) as Body };
  }

  admin(method: string, path: string, body?: object | string, headers?: Headers): Promise<Answer> {
    return this.call(this.process.adminKey, method, path, body, headers);
  }

  /** A new tenant with a key. By default 1 000 tokens and no other limit. */
  async tenant(fields: object = {}): Promise<HttpTenant> {
    const given = { name: "a", allowances: { tokens: { limit: 1_000 } }, ...fields };
    const made = await this.admin("POST", "/v1/admin/tenants", given);
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const { body } = await this.admin("POST", `/v1/admin/tenants/${made.body.id}/keys`, { name: "a" });
    return new HttpTenant(this, made.body.id, body.key);
  }

  /** Moves the clock of the record so that it is this instant now, milliseconds since 1970; from there it runs. */
  async setClock(instant: number): Promise<void> {
    const offset = `interval '${instant - Date.now()} milliseconds'`;
    await this.record.query(`CREATE OR REPLACE FUNCTION holdfast_now() RETURNS timestamptz
      LANGUAGE sql VOLATILE AS $$ SELECT date_trunc('milliseconds', clock_timestamp() + ${offset}) $$`);
  }

  /** Stops the clock of the record at this instant. */
  async freezeClock(instant: number): Promise<void> {
    await this.record.query(`CREATE OR REPLACE FUNCTION holdfast_now() RETURNS timestamptz
      LANGUAGE sql VOLATILE AS $$ SELECT to_timestamp(${instant}::float8 / 1000) $$`);
  }
}

export interface Asked {
  readonly tokens?: number;
  /** Instead of tokens: the members of the request. */
  readonly body?: object;
  readonly jobId?: string;
  readonly user?: string;
  readonly ttlMs?: number;
}

/** What a client with the key of one tenant does. */
export class HttpTenant {
  constructor(
    readonly holdfast: Holdfast,
    readonly id: string,
    readonly key: string,
  ) {}

  call(method: string, path: string, body?: object | string, headers?: Headers): Promise<Answer> {
    return this.holdfast.call(this.key, method, path, body, headers);
  }

  /** The id of a new job. */
  async job(fields: object = {}): Promise<string> {
    return this.made(await this.call("POST", "/v1/jobs", fields));
  }

  /** A child job; a number means a grant of so many tokens. */
  child(parentJobId: string, grant: number | object, key: string = fresh("K")): Promise<Answer> {
    const body = { parentJobId, grant: typeof grant === "number" ? { tokens: grant } : grant };
    return this.call("POST", "/v1/jobs", body, { "idempotency-key": key });
  }

  /** A number means so many tokens; an object is the whole body. */
  reserve(jobId: string, ask: number | object, key: string = fresh("K")): Promise<Answer> {
    const body = typeof ask === "number" ? { amounts: { tokens: ask } } : ask;
    return this.call("POST", `/v1/jobs/${jobId}/reservations`, body, { "idempotency-key": key });
  }

  /** The id of a reservation that must be admitted, of a new job unless one is named. */
  async openReservation({ tokens = 100, body = {}, jobId, user, ttlMs = 60_000 }: Asked = {}): Promise<string> {
    const job = jobId ?? (await this.job(user === undefined ? {} : { user }));
    return this.made(await this.reserve(job, { amounts: { tokens }, ttlMs, ...body }));
  }

  settle(id: string, actual: number | object): Promise<Answer> {
    const units = typeof actual === "number" ? { tokens: actual } : actual;
    return this.call("POST", `/v1/reservations/${id}/settle`, { actual: units });
  }

  /** A number means so many tokens. */
  charge(
    id: string,
    [child, attempt]: readonly [number, number],
    actual: number | object,
    outcome: "succeeded" | "failed" = "succeeded",
    key: string = fresh("K"),
  ): Promise<Answer> {
    const units = typeof actual === "number" ? { tokens: actual } : actual;
    const body = { child, attempt, outcome, actual: units };
    return this.call("POST", `/v1/reservations/${id}/charges`, body, { "idempotency-key": key });
  }

  release(id: string): Promise<Answer> {
    return this.call("POST", `/v1/reservations/${id}/release`);
  }

  extend(id: string, ttlMs = 60_000): Promise<Answer> {
    return this.call("POST", `/v1/reservations/${id}/extend`, { ttlMs });
  }

  /** Lets the deadline of a reservation pass and the reconciler sweep. */
  async expire(reservationId: string): Promise<void> {
    const past =
      "UPDATE reservations SET expires_at = holdfast_now() - interval '1 second' WHERE id = $1 AND state = 'open'";
    await this.holdfast.record.query(past, [reservationId]);
    const { status, body } = await this.holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["expire"] });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  async batch(operations: readonly object[]): Promise<readonly Result[]> {
    const keyed = operations.map((operation) => ({
      ...operation,
      ...(needsKey(operation) && { idempotencyKey: fresh("K") }),
    }));
    return (await this.call("POST", "/v1/batch", { operations: keyed })).body.results;
  }

  async balances(scope = "tenant", windows = "current"): Promise<BalanceView[]> {
    const { body } = await this.call(
      "GET",
      `/v1/balances?scope=${encodeURIComponent(scope)}&windows=${windows}&limit=500`,
    );
    return body["data"] as BalanceView[];
  }

  async balance(scope = "tenant", unit = "tokens"): Promise<BalanceView> {
    const found = (await this.balances(scope)).find((balance) => balance.unit === unit);
    if (!found) throw new Error(`there is no balance of ${unit} at ${scope}`);
    return found;
  }

  /** Sets the tenant's limit, or with a user the user's. */
  setLimit(
    limit: number | string,
    { user, unit = "tokens", ...more }: { user?: string; unit?: string; period?: string } = {},
  ) {
    const of = user === undefined ? "" : `/users/${encodeURIComponent(user)}`;
    return this.admin("PUT", `${of}/allowances/${unit}`, { limit, ...more });
  }

  /** An admin call about this tenant. */
  admin(method: string, path = "", body?: object | string, headers?: Headers): Promise<Answer> {
    return this.holdfast.admin(method, `/v1/admin/tenants/${this.id}${path}`, body, headers);
  }

  /** What holds at the end of every scenario. */
  expectAtRest(): Promise<void> {
    return expectAtRest(this);
  }

  private made({ status, body }: Answer): string {
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  }
}

function needsKey(operation: object): boolean {
  const { op, dryRun } = operation as { op?: string; dryRun?: boolean };
  return op === "createJob" || op === "charge" || (op === "reserve" && dryRun !== true);
}

/** Starts API and reconciler on a free port, with a database of their own and the Redis of the run. */
export async function startHoldfast(settings: Readonly<Record<string, string>> = {}): Promise<Holdfast> {
  const database = await freshDatabase();
  const own = { HOLDFAST_DATABASE_URL: database.url, HOLDFAST_REDIS_URL: redisUrl() };
  // On a busy machine a copy that is given up on is only an older one, but here copies are compared.
  const patient = { HOLDFAST_REDIS_TIMEOUT_MS: "1000", HOLDFAST_COMMIT_TIMEOUT_MS: "5000" };
  // Webhooks of tests lead to this machine.
  const near = { HOLDFAST_WEBHOOK_ADDRESSES: "any", HOLDFAST_WEBHOOK_HTTP: "allowed" };
  const given = { ...own, HOLDFAST_LOG_LEVEL: "error", ...patient, ...near, ...settings };
  return new Holdfast(await startProcess(given), database);
}
