import { randomUUID } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";

/**
 * Baseline (b): the transaction that most teams write first. Locks the tenant's row, checks, updates, inserts, commits;
 * one scope, one unit, no idempotency. Prints its address.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 32 });
await pool.query(`CREATE TABLE IF NOT EXISTS row_lock_tenants (id text PRIMARY KEY, max bigint, held bigint)`);
await pool.query(`CREATE TABLE IF NOT EXISTS row_lock_holds (id uuid PRIMARY KEY, tenant_id text, amount bigint)`);
await pool.query(`INSERT INTO row_lock_tenants VALUES ('hot', 9000000000000000, 0) ON CONFLICT DO NOTHING`);

async function reserve(tenant: string, amount: number): Promise<string | null> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT max, held FROM row_lock_tenants WHERE id = $1 FOR UPDATE", [tenant]);
    const { max, held } = rows[0] as { max: string; held: string };
    if (Number(held) + amount > Number(max)) {
      await client.query("ROLLBACK");
      return null;
    }
    const id = randomUUID();
    await client.query("UPDATE row_lock_tenants SET held = held + $2 WHERE id = $1", [tenant, amount]);
    await client.query("INSERT INTO row_lock_holds VALUES ($1, $2, $3)", [id, tenant, amount]);
    await client.query("COMMIT");
    return id;
  } finally {
    client.release();
  }
}

const server = Fastify();
server.post("/reserve", async (request, reply) => {
  const { tenant, amount } = request.body as { tenant: string; amount: number };
  const id = await reserve(tenant, amount);
  return reply.code(id === null ? 402 : 201).send({ id });
});
console.log(await server.listen({ host: "127.0.0.1", port: 0 }));
