/** Prisma's own codes for a server that cannot be reached, is too slow, or gives way. */
const PRISMA_CODES = new Set([
  "P1000",
  "P1001",
  "P1002",
  "P1008",
  "P1010",
  "P1011",
  "P1017",
  "P2024",
  "P2028",
  "P2034",
  "P2037",
]);
/** What the driver adapter calls them. */
const ADAPTER_KINDS = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TlsConnectionError",
  "TooManyConnections",
  "TransactionWriteConflict",
]);
/** SQLSTATE classes: connection lost, transaction state, gave way, resources, shutting down or cancelled, system error. */
const SQLSTATE_CLASSES = new Set(["08", "25", "40", "53", "57", "58"]);
/** The pg driver's time-outs and lost connections carry no code. */
const DRIVER_MESSAGES = [
  "Query read timeout",
  "timeout exceeded when trying to connect",
  "Connection terminated",
  "Client has encountered a connection error",
  "Cannot use a pool after",
];

interface AdapterCause {
  readonly kind?: unknown;
  readonly originalCode?: unknown;
}

interface Clues {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: AdapterCause } };
}

/** True where the record or the way to it failed; false where it answered that the question itself is wrong. */
export function isRecordUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some(isRecordUnavailable);
  const { code, syscall, message, meta } = error as Clues;
  const { kind, originalCode } = meta?.driverAdapterError?.cause ?? {};
  return (
    typeof syscall === "string" ||
    PRISMA_CODES.has(String(code)) ||
    ADAPTER_KINDS.has(String(kind)) ||
    isPassing(originalCode ?? code) ||
    DRIVER_MESSAGES.some((start) => String(message).startsWith(start)) ||
    error.name === "PrismaClientInitializationError"
  );
}

function isPassing(sqlState: unknown): boolean {
  return typeof sqlState === "string" && /^[0-9A-Z]{5}$/.test(sqlState) && SQLSTATE_CLASSES.has(sqlState.slice(0, 2));
}
