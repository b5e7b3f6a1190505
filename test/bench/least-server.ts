import { randomUUID } from "node:crypto";
import { setImmediate as endOfTurn } from "node:timers/promises";
import Fastify from "fastify";
import { Redis } from "ioredis";
import pg from "pg";

/**
 * Baseline (c): the least that a permit and its finish can be where the place is counted in Redis and the charge outlives
 * a crash: bare routes, one command of Redis each, one row of PostgreSQL for the charge, and rows that come together share
 * a commit. No callers, no checks, no rules, no balances. Prints its address.
 */
const [databaseUrl, redisUrl] = process.argv.slice(2);
const redis = redisUrl === "off" ? null : new Redis(redisUrl!, { enableAutoPipelining: true });
const record = new pg.Client({ connectionString: databaseUrl });
await record.connect();
await record.query("CREATE TABLE IF NOT EXISTS least_charges (id uuid PRIMARY KEY, amount bigint)");

let waiting: { id: string; amount: number; done: () => void; failed: (error: unknown) => void }[] = [];
let atWork = false;

function charge(id: string, amount: number): Promise<void> {
  return new Promise((done, failed) => {
    waiting.push({ id, amount, done, failed });
    if (!atWork) void work();
  });
}

async function work(): Promise<void> {
  atWork = true;
  while (waiting.length > 0) {
    await endOfTurn();
    const together = waiting;
    waiting = [];
    const values = [together.map(({ id }) => id), together.map(({ amount }) => amount)];
    const text = "INSERT INTO least_charges SELECT * FROM unnest($1::uuid[], $2::bigint[])";
    try {
      await record.query({ name: "charge", text, values });
      for (const { done } of together) done();
    } catch (error) {
      for (const { failed } of together) failed(error);
    }
  }
  atWork = false;
}

const server = Fastify();
server.post("/v1/reservations/:id/permits", async (_request, reply) => {
  const id = randomUUID();
  await redis?.zadd("least", Date.now() + 30_000, id);
  return reply.code(201).send({ id });
});
server.post("/v1/permits/:id/finish", async (request) => {
  const { id } = request.params as { id: string };
  const { actual } = request.body as { actual: { tokens: number } };
  await charge(id, actual.tokens);
  await redis?.zrem("least", id);
  return { id };
});
console.log(await server.listen({ host: "127.0.0.1", port: 0 }));
