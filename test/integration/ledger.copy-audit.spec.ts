import { Redis } from "ioredis";
import { Ledger, newId } from "#libs/ledger";
import pg from "pg";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";

describe("audit of the copies", () => {
  let database: FreshDatabase;
  let ledger: Ledger;
  let record: pg.Client;
  let redis: Redis;
  const tenantId = newId("ten");
  const key = `tenant:${tenantId}:tokens:none`;
  const copyAt = `holdfast:{${tenantId}}:copy:${key}`;
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

  beforeAll(async () => {
    database = await freshDatabase();
    record = new pg.Client({ connectionString: database.url });
    await record.connect();
    redis = new Redis(redisUrl());
    ledger = Ledger.open({
      databaseUrl: database.url,
      redisUrl: redisUrl(),
      redisTimeoutMs: 1_000,
      commitTimeoutMs: 5_000,
      log: silent,
    });
    await record.query(
      "INSERT INTO tenants (id, name, enforcement, state, created_at) VALUES ($1, 'a', 'enforce', 'active', holdfast_now())",
      [tenantId],
    );
    await record.query("INSERT INTO allowances VALUES ($1, 'tenant', '', 'tokens', 500, 'none', 'UTC')", [tenantId]);
    const change = { change: "allowance", unit: "tokens", limit: 700, period: "none", timeZone: "UTC" } as const;
    await ledger.execute({ type: "configure", tenantId, change, actor: "test", reason: null, key: null });
  });

  afterAll(async () => {
    await ledger.close();
    await redis.quit();
    await record.end();
    await database.drop();
  });

  it("finds right copies right", async () => {
    expect(await ledger.auditCopies(tenantId)).toEqual({ checked: 1, repaired: [] });
  });

  it.each([
    ["other figures at the same version", "1:700:0:699"],
    ["a version that the record never had", "99:1:1:1"],
  ])("reports and replaces a copy with %s", async (_, planted) => {
    await redis.set(copyAt, `${planted}:${Date.now()}`);
    const { repaired } = await ledger.auditCopies(tenantId);
    expect(repaired).toMatchObject([{ key, expected: { version: 1, limit: 700, reserved: 0, spent: 0 } }]);
    expect(await redis.get(copyAt)).toMatch(/^1:700:0:0:\d+$/);
  });

  it("brings an older copy up to date without calling it wrong", async () => {
    await redis.set(copyAt, `0:500:0:0:${Date.now()}`);
    expect((await ledger.auditCopies(tenantId)).repaired).toEqual([]);
    expect(await redis.get(copyAt)).toMatch(/^1:700:0:0:\d+$/);
  });
});
