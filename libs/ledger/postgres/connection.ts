import pg from "pg";

export interface ConnectionOptions {
  readonly url: string;
  /** Most connections of this pool. */
  readonly size: number;
  /** Longest wait for a connection or an answer, milliseconds; then the connection is given up. */
  readonly timeoutMs: number;
  readonly onError: (error: Error) => void;
}

/**
 * Every statement finds a few rows by their keys in tables of any size: one plan, index and nested loop, is right for
 * good. Planning each execution anew, or once for tables that were empty then, costs more than the statements do.
 */
export const SESSION = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};

/**
 * A pool whose connections pipeline: statements are sent without waiting for the answers of those before, so a
 * transaction needs two round trips. Statements are prepared by name, once a connection.
 */
export function connect({ url, size, timeoutMs, onError }: ConnectionOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    pipeline: true,
    connectionTimeoutMillis: Math.min(timeoutMs, 500),
    query_timeout: timeoutMs,
    // A stopped process must not keep its locks: the server ends a transaction that it left open.
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
    application_name: "holdfast",
    options: Object.entries(SESSION)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    types: { getTypeParser: parserOf },
  });
  pool.on("error", onError);
  // The pool listens to idle connections only, and an error that nobody listens to ends the process. The statements of a
  // connection that is lost in use are rejected with it.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Amounts, versions and sequence numbers stay within 2^53 − 1 (checked before they are written), so numbers hold them. */
function parserOf(oid: number, format?: string): unknown {
  if (oid === pg.types.builtins.INT8 && format !== "binary") return Number;
  return pg.types.getTypeParser(oid, format as "text");
}

/** The server or the way to it failed: nothing is said about the statement itself. */
export class RecordUnreachable extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "RecordUnreachable";
  }
}

/** An error of the driver as it is, where the server answered that the statement is wrong; else RecordUnreachable. */
export function classify(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return new RecordUnreachable(error);
  const { code = "" } = error;
  return UNREACHABLE_CLASSES.has(code.slice(0, 2)) || UNREACHABLE_CODES.has(code)
    ? new RecordUnreachable(error)
    : error;
}

/** SQLSTATE classes: connection, resources, intervention by the operator, system error. */
const UNREACHABLE_CLASSES = new Set(["08", "53", "57", "58"]);
/** Read-only after a failover; a transaction ended while idle; lock not to be had; chosen to give way. All pass by. */
const UNREACHABLE_CODES = new Set(["25006", "25P03", "55P03", "40P01", "40001"]);
