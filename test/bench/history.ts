import pg from "pg";

/** Gives a tenant so many closed reservations, with their ledger entries and keys, as months of use would. */
export async function fillHistory(databaseUrl: string, tenantId: string, jobId: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const keys = [`job:${jobId}:tokens:none`, `tenant:${tenantId}:tokens:none`];
  await client.query(
    `INSERT INTO reservations
       (tenant_id, id, job_id, state, reserved, held, charged, keys, actual, created_at, expires_at, closed_at)
     SELECT $1, 'rsv_0' || lpad(i::text, 25, '0'), $2, 'settled', '{"tokens":240}', '{"tokens":0}', '{"tokens":0}', $3, '{"tokens":0}',
       holdfast_now(), holdfast_now(), holdfast_now() FROM generate_series(1, $4) AS i`,
    [tenantId, jobId, keys, count],
  );
  for (const [type, sign] of [
    ["reserve", 1],
    ["settle", -1],
  ] as const) {
    await client.query(
      `INSERT INTO ledger_entries (tenant_id, at, type, unit, reserved, spent, keys, reservation_id, job_id)
       SELECT $1, holdfast_now(), $5, 'tokens', 240 * $6::bigint, 0, $3, 'rsv_0' || lpad(i::text, 25, '0'), $2
       FROM generate_series(1, $4) AS i`,
      [tenantId, jobId, keys, count, type, sign],
    );
  }
  await client.query(
    `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, answer, created_at)
     SELECT $1, 't:old-' || i, 'none', '{}', holdfast_now() FROM generate_series(1, $2) AS i`,
    [tenantId, count],
  );
  await client.query("ANALYZE reservations; ANALYZE ledger_entries; ANALYZE idempotency_keys");
  await client.query("CHECKPOINT");
  await client.end();
}
