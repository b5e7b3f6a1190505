import type { RunSettings } from "#libs/config";
import { Prisma, type PrismaClient } from "../record/client.js";
import { patiently } from "../record/patiently.js";
import { hashOf, newAdminKey, sameHash } from "./keys.js";

/** All replicas on one record share this row. */
const ROW = "admin";

/**
 * Makes the operator's key where none is set and none was ever made. Returns the key only when it was made just now,
 * since only its hash is kept; of several replicas that start at once exactly one makes it.
 */
export async function ensureAdminKey(
  settings: Pick<RunSettings, "adminKey">,
  record: PrismaClient,
): Promise<string | null> {
  if (settings.adminKey !== undefined) return null;
  const { key, hash } = newAdminKey();
  await patiently(() =>
    record.$executeRaw(Prisma.sql`
      INSERT INTO operator_keys (id, hash, created_at) VALUES (${ROW}, ${hash}, holdfast_now()) ON CONFLICT (id) DO NOTHING`),
  );
  // Read, since the answer of a row that was made can have been lost.
  return sameHash(await adminKeyHash(settings, record), hash) ? key : null;
}

/** The hash that an admin key must have: of the key that is set, else of the one that was made. */
export async function adminKeyHash(settings: Pick<RunSettings, "adminKey">, record: PrismaClient): Promise<string> {
  if (settings.adminKey !== undefined) return hashOf(settings.adminKey);
  const { hash } = await patiently(() => record.operatorKey.findUniqueOrThrow({ where: { id: ROW } }));
  return hash;
}
