import { performance } from "node:perf_hooks";
import pg from "pg";
import { Ledger, serviceBookId, type LedgerLog, type LedgerOptions, type TenantSettings } from "#libs/ledger";
import { settingOf, type BookSettings } from "./book.js";
import { fresh } from "./commands.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "./services.js";

/** A log that keeps what was written to it. */
export class KeptLog implements LedgerLog {
  readonly lines: { level: string; message: string; fields: object }[] = [];
  info = (fields: object, message: string): void => void this.lines.push({ level: "info", message, fields });
  warn = (fields: object, message: string): void => void this.lines.push({ level: "warn", message, fields });
  error = (fields: object, message: string): void => void this.lines.push({ level: "error", message, fields });

  has(message: string): boolean {
    return this.lines.some((line) => line.message.includes(message));
  }
}

export interface BalanceRow {
  readonly key: string;
  readonly limit: number | null;
  readonly reserved: number;
  readonly spent: number;
  readonly version: number;
}

/** A record of its own in PostgreSQL, the ledgers that a test opens on it, and a look past them by SQL. */
export class TestRecord {
  readonly log = new KeptLog();
  private readonly ledgers: Ledger[] = [];

  private constructor(
    readonly database: FreshDatabase,
    private readonly pool: pg.Pool,
  ) {}

  static async start(): Promise<TestRecord> {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 4, application_name: "test" });
    // pg reads bigint as text; every figure here is within 2^53 - 1.
    pool.on("connect", (client) => client.setTypeParser(pg.types.builtins.INT8, Number));
    // A test that fails before it stops its record loses these connections with the database.
    pool.on("error", () => undefined);
    return new TestRecord(database, pool);
  }

  /** Closes every ledger that was opened here and drops the database. */
  async stop(): Promise<void> {
    await Promise.all(this.ledgers.map((ledger) => ledger.close()));
    await this.pool.end();
    await this.database.drop();
  }

  /** One more process on this record. */
  open(options: Partial<LedgerOptions> = {}): Ledger {
    const ledger = Ledger.open({
      databaseUrl: this.database.url,
      redisUrl: redisUrl(),
      redisTimeoutMs: 1_000,
      commitTimeoutMs: 5_000,
      log: this.log,
      ...options,
    });
    this.ledgers.push(ledger);
    return ledger;
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** Stops the record's clock at this instant, milliseconds since 1970; null lets it run again. */
  async setClock(now: number | null): Promise<void> {
    const time = now === null ? "clock_timestamp()" : `to_timestamp(${now}::float8 / 1000)`;
    await this.sql(`CREATE OR REPLACE FUNCTION holdfast_now() RETURNS timestamptz
      LANGUAGE sql VOLATILE AS $$ SELECT date_trunc('milliseconds', ${time}) $$`);
  }

  /** The id of a new tenant. By default 1 000 tokens and no other limit. */
  async newTenant(settings: BookSettings = {}, id = fresh("ten")): Promise<string> {
    const { enforcement = "enforce", state = "active", allowances = { tokens: 1_000 } } = settings;
    await this.sql(
      `INSERT INTO tenants (id, name, enforcement, state, created_at) VALUES ($1, 'a', $2, $3, holdfast_now())`,
      [id, enforcement, state],
    );
    const rows = [
      ...Object.entries(allowances).map(([unit, given]) => {
        const { limit, period, timeZone } = settingOf(given);
        return ["tenant", unit, limit, period, timeZone] as const;
      }),
      ...defaultsOf("user", settings.userAllowance),
      ...defaultsOf("job", settings.jobAllowance),
    ];
    for (const [kind, ...row] of rows) await this.addAllowance([id, kind, "", ...row]);
    return id;
  }

  private addAllowance(row: readonly unknown[]): Promise<object[]> {
    return this.sql(
      `INSERT INTO allowances (tenant_id, kind, scope_id, unit, limit_amount, period, time_zone)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [...row],
    );
  }

  /** The name of a new service. By default 1 000 tokens. */
  async newService(
    allowances: NonNullable<BookSettings["allowances"]> = { tokens: 1_000 },
    name = fresh("svc"),
  ): Promise<string> {
    await this.sql(
      `INSERT INTO services (name, settings, created_at, updated_at) VALUES ($1, '{}', holdfast_now(), holdfast_now())`,
      [name],
    );
    for (const [unit, given] of Object.entries(allowances)) {
      const { limit, period, timeZone } = settingOf(given);
      await this.addAllowance([serviceBookId(name), "tenant", "", unit, limit, period, timeZone]);
    }
    return name;
  }

  balances(tenantId: string): Promise<BalanceRow[]> {
    return this.sql(
      `SELECT key, limit_amount AS limit, reserved, spent, version FROM balances WHERE tenant_id = $1 ORDER BY key`,
      [tenantId],
    );
  }

  /** `[reserved, spent]` of the balance whose key begins so; `[0, 0]` where nothing was ever taken. */
  async taken(tenantId: string, start = "tenant:"): Promise<[number, number]> {
    const row = (await this.balances(tenantId)).find(({ key }) => key.startsWith(start));
    return row ? [row.reserved, row.spent] : [0, 0];
  }

  async count(
    table: "reservations" | "attempts" | "idempotency_keys" | "ledger_entries" | "jobs",
    tenantId: string,
  ): Promise<number> {
    const [row] = await this.sql<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE tenant_id = $1`, [tenantId]);
    return row!.n;
  }

  /** What holds always, in the whole record: `reserved` is what open reservations hold, `spent` is what entries say. */
  async expectSound(): Promise<void> {
    expect(await this.sql(UNSOUND)).toEqual([]);
    expect(await this.sql(MOVED_TWICE)).toEqual([]);
  }
}

/** What is held and where: by open reservations, also at their services, also at the parents of ended jobs, and by the grants of open children. */
export const HOLDING = `
  SELECT r.tenant_id, k.key, (r.held ->> split_part(k.key, ':', 3))::bigint AS amount
  FROM reservations r, unnest(r.keys) AS k(key) WHERE r.state = 'open'
  UNION ALL
  SELECT 'service:' || r.service, k.key, (r.held ->> split_part(k.key, ':', 3))::bigint
  FROM reservations r, unnest(r.service_keys) AS k(key) WHERE r.state = 'open'
  UNION ALL
  SELECT r.tenant_id, 'job:' || j.parent_id || ':' || h.key || ':none', h.value::bigint
  FROM reservations r, unnest(r.job_id || r.ancestors) AS o(id), json_each_text(r.held) AS h, jobs j
  WHERE r.state = 'open' AND j.tenant_id = r.tenant_id AND j.id = o.id AND j.state <> 'open' AND j.parent_id IS NOT NULL
  UNION ALL
  SELECT j.tenant_id, 'job:' || j.parent_id || ':' || g.key || ':none', g.value::bigint
  FROM jobs j, json_each_text(j.allowance) AS g WHERE j.state = 'open' AND j.parent_id IS NOT NULL`;

export const UNSOUND = `
  WITH held AS (
    SELECT tenant_id, key, sum(amount) AS reserved FROM (${HOLDING}) AS holding GROUP BY 1, 2),
  moved AS (
    SELECT e.tenant_id, k.key, sum(e.reserved) AS reserved, sum(e.spent) AS spent
    FROM ledger_entries e, unnest(e.keys) AS k(key) GROUP BY 1, 2)
  SELECT b.tenant_id, b.key, b.reserved, held.reserved AS held, b.spent, moved.spent AS moved
  FROM balances b LEFT JOIN held USING (tenant_id, key) LEFT JOIN moved USING (tenant_id, key)
  WHERE b.reserved <> coalesce(held.reserved, 0) OR b.reserved <> coalesce(moved.reserved, 0)
     OR b.spent <> coalesce(moved.spent, 0) OR b.reserved < 0 OR b.spent < 0`;

/** A reservation is taken once and closed once, and each of its attempts is charged once. */
export const MOVED_TWICE = `
  SELECT tenant_id, reservation_id, unit FROM ledger_entries WHERE reservation_id IS NOT NULL
  GROUP BY 1, 2, 3, detail ->> 'child', detail ->> 'attempt'
  HAVING count(*) FILTER (WHERE reserved > 0) > 1 OR count(*) FILTER (WHERE reserved < 0) > 1
      OR count(*) FILTER (WHERE spent > 0) > 1`;

function defaultsOf(kind: "user" | "job", limits: TenantSettings["userAllowance"] = {}) {
  return Object.entries(limits).map(([unit, limit]) => [kind, unit, limit, null, null] as const);
}

/** Waits until the condition holds; fails after `withinMs` with what it last threw or answered. */
export async function eventually(condition: () => Promise<unknown>, withinMs = 10_000): Promise<void> {
  const start = performance.now();
  for (;;) {
    let last: unknown;
    try {
      last = await condition();
      if (last) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() - start > withinMs) throw new Error(`not within ${withinMs} ms`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
