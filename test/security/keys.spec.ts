import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sameHash } from "../../apps/api/auth/keys.js";
import { ensureAdminKey } from "../../apps/api/auth/operator.js";
import { openRecord } from "../../apps/api/record/client.js";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { KeptLog } from "../support/record.js";
import { neighbourOf } from "./neighbour.js";

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

/** `table: row` of every row of the record, in any schema, that has the text in any column. */
async function rowsWith(text: string): Promise<string[]> {
  const { rows: tables } = await holdfast.record.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT t::text AS row FROM ${name} t WHERE position($1 in t::text) > 0`;
    const { rows } = await holdfast.record.query<{ row: string }>(sql, [text]);
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** What a key must not be kept as: itself, its secret, and what leads back to it. */
function formsOf(key: string): string[] {
  const secret = key.slice(-20);
  const raw = Buffer.from(secret, "base64url").toString("hex");
  return [key, secret, Buffer.from(key).toString("base64"), Buffer.from(key).toString("hex"), raw];
}

/** All that Redis has under a name, of whatever type. */
async function textAt(name: string): Promise<string> {
  const { redis } = holdfast;
  const readers: Record<string, () => Promise<unknown>> = {
    string: () => redis.get(name),
    hash: () => redis.hgetall(name),
    zset: () => redis.zrange(name, "0", "-1"),
    list: () => redis.lrange(name, 0, -1),
  };
  const read = readers[await redis.type(name)];
  // One that has ended meanwhile has no type.
  return JSON.stringify(read ? await read() : null);
}

describe("keys", () => {
  it("are kept as hashes alone, after they were used for everything", async () => {
    const { tenant, values } = await neighbourOf(holdfast, "heron");
    const spare = await tenant.admin("POST", "/keys", { name: "second" });
    const keys = [tenant.key, spare.body.key];
    for (const key of keys) {
      const job = await holdfast.call(key, "POST", "/v1/jobs", { user: values.user });
      const path = `/v1/jobs/${job.body.id}/reservations`;
      expect((await holdfast.call(key, "POST", path, { amounts: { [values.unit]: 1 } })).status).toBe(201);
      expect(await rowsWith(sha256(key))).toHaveLength(1);
    }
    for (const key of [...keys, holdfast.adminKey]) {
      for (const form of formsOf(key)) expect(await rowsWith(form)).toEqual([]);
    }
    const remembered = await holdfast.redis.keys(`*${tenant.id}*`);
    const texts = await Promise.all(remembered.map((name) => textAt(name)));
    for (const key of keys) expect(`${remembered.join()} ${texts.join()}`).not.toContain(key.slice(-20));
  });

  it("are shown once, when they are made", async () => {
    const { tenant } = await neighbourOf(holdfast, "otter");
    const made = (await tenant.admin("POST", "/keys", { name: "second" })).body;
    const { body } = await tenant.admin("GET", "/keys");
    const gone = await tenant.admin("DELETE", `/keys/${made.id}`);
    for (const form of [...formsOf(made.key), sha256(made.key), "hash"]) {
      expect(JSON.stringify([body, gone.body])).not.toContain(form);
    }
  });

  it("of the operator, where Holdfast makes it, is kept as a hash alone as well", async () => {
    const record = openRecord(holdfast.databaseUrl, new KeptLog());
    try {
      const key = (await ensureAdminKey({ adminKey: undefined }, record))!;
      expect(await rowsWith(sha256(key))).toHaveLength(1);
      for (const form of formsOf(key)) expect(await rowsWith(form)).toEqual([]);
    } finally {
      await record.$disconnect();
    }
  });

  it("are 256 random bits, so that a fast hash is enough", async () => {
    const { tenant } = await neighbourOf(holdfast, "egret");
    const made = [];
    for (let i = 0; i < 20; i += 1) made.push((await tenant.admin("POST", "/keys", { name: "a" })).body.key);
    const secrets = made.map((key) => /^hfk_[0-9A-Z]{26}_[0-9A-Z]{26}_([A-Za-z0-9_-]{43})$/.exec(key)![1]!);
    expect(new Set(secrets).size).toBe(secrets.length);
    for (const secret of secrets) expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  });
});

describe("the comparison of hashes", () => {
  const source = (file: string) => readFileSync(new URL(`../../apps/api/auth/${file}`, import.meta.url), "utf8");

  it("tells equal ones from others, of any length", () => {
    const [one, two] = [sha256("1"), sha256("2")];
    expect(sameHash(one, one)).toBe(true);
    for (const other of [two, `${one.slice(0, -1)}x`, one.slice(1), `${one}0`, ""]) {
      expect(sameHash(one, other)).toBe(false);
    }
  });

  it("takes the time of the whole, and happens in no other way", () => {
    expect(source("keys.ts")).toContain("timingSafeEqual(Buffer.from(a,");
    for (const file of ["keys.ts", "authenticator.ts", "guards.ts", "key-cache.ts", "load-keys.ts", "operator.ts"]) {
      // Neither by === nor by the database: a row is found by its id, which is no secret.
      expect(source(file)).not.toMatch(
        /([hH]ash|[sS]ecret)\w*\s*[!=]==|[!=]==\s*[\w.]*([hH]ash|[sS]ecret)|WHERE[^`]*hash/,
      );
    }
  });
});
