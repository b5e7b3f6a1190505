import { PrismaPg } from "@prisma/adapter-pg";
import type { LedgerLog } from "#libs/ledger";
import { PrismaClient, type Prisma } from "../../../prisma/generated/client.js";

export { Prisma, PrismaClient } from "../../../prisma/generated/client.js";

/** The record, or a transaction in it. */
export type Reader = Prisma.TransactionClient;

/** Longest wait for a connection, and for an answer, milliseconds: together a client hears within about a second. */
const CONNECT_TIMEOUT_MS = 750;
const QUERY_TIMEOUT_MS = 900;
const MOST_CONNECTIONS = 8;

/** The record for typed reads and for rows that are no money: tenants when they are made, and keys. */
export function openRecord(databaseUrl: string, log: LedgerLog): PrismaClient {
  const lost = (err: Error): void => log.warn({ err }, "a connection for reads was lost");
  const pool = {
    connectionString: databaseUrl,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: "holdfast-reads",
  };
  return new PrismaClient({ adapter: new PrismaPg(pool, { onPoolError: lost, onConnectionError: lost }) });
}
