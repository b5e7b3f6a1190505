import { Prisma, type PrismaClient } from "../record/client.js";

/** What a client may show and would ask for again. A tenant hears of the first four. */
export const TENANT_TOPICS = ["tenants", "jobs", "ledger", "denials"] as const;
export const TOPICS = [...TENANT_TOPICS, "services", "reconcile", "webhooks", "history"] as const;

export type Topic = (typeof TOPICS)[number];

/** Something that differs as soon as the topic has changed. */
export type Marks<T extends Topic = Topic> = Readonly<Record<T, string>>;

/** Jobs of a tenant whose endings are seen; an older one that ends moves the ledger, unless it held nothing. */
const NEWEST_JOBS = 100;

const SEQUENCES: Readonly<Record<Topic, readonly string[]>> = {
  tenants: ["tenants_changed"],
  jobs: ["jobs_changed", "jobs_seq_seq", "reservations_seq_seq"],
  ledger: ["ledger_entries_seq_seq"],
  denials: ["denials_changed"],
  services: ["services_changed"],
  reconcile: ["reconcile_runs_seq_seq"],
  webhooks: ["webhooks_changed"],
  history: ["history_changed"],
};

/** A sequence that was never used has the same last value as after its first use. */
const markOf = (sequences: readonly string[]): string =>
  sequences.map((name) => `(SELECT last_value::text || is_called FROM ${name})`).join(" || ' ' || ");

const MARKS = Prisma.raw(`SELECT ${TOPICS.map((topic) => `${markOf(SEQUENCES[topic])} AS ${topic}`).join(", ")}`);

/** One row of sequences, however much there is. They move before the change is committed. */
export async function readMarks(record: PrismaClient): Promise<Marks> {
  const [row] = await record.$queryRaw<[Marks]>(MARKS);
  return row;
}

export type TenantMarks = Marks<(typeof TENANT_TOPICS)[number]>;

/**
 * From rows that are committed: nothing in them moves for what another tenant does. One that is gone has none. Denials are
 * added to rows of their minute, so the sum of the last two minutes moves; they are a few hundred rows in a storm.
 */
export async function readTenantMarks(
  record: PrismaClient,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, TenantMarks>> {
  const rows = await record.$queryRaw<(TenantMarks & { id: string })[]>(Prisma.sql`
    SELECT t.id, t.state || t.config_version AS tenants,
      coalesce((SELECT max(e.seq) FROM ledger_entries e WHERE e.tenant_id = t.id), 0)::text AS ledger,
      (SELECT coalesce(max(newest.seq), 0) || ' ' || count(newest.closed_at) FROM (
         SELECT j.seq, j.closed_at FROM jobs j WHERE j.tenant_id = t.id ORDER BY j.seq DESC LIMIT ${NEWEST_JOBS}
       ) AS newest) AS jobs,
      (SELECT coalesce(max(d.id), '') FROM denials d WHERE d.tenant_id = t.id) || ' ' || (
         SELECT coalesce(sum(d.count), 0) FROM denials d WHERE d.tenant_id = t.id AND d.minute >=
           (SELECT max(d.minute) - interval '1 minute' FROM denials d WHERE d.tenant_id = t.id)
       ) AS denials
    FROM tenants t WHERE t.id = ANY(${tenantIds}::text[])`);
  return new Map(rows.map(({ id, ...marks }) => [id, marks]));
}
