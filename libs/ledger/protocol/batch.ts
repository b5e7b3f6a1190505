import {
  attemptsId,
  bookIn,
  keyOf,
  NotLoaded,
  placesOf,
  serviceBookId,
  serviceOfBook,
  servicePlaces,
  sizeOf,
  tryDecide,
  lookUp,
  type Balance,
  type Books,
  type Command,
  type Instant,
  type LedgerEntry,
  type SettingsEntry,
  type Outcome,
  type Reserve,
  type Want,
} from "../domain/index.js";
import type { Directory } from "./directory.js";
import type { RecordStore, RecordTransaction } from "./ports.js";
import type { Runtime } from "./runtime.js";

/** A decision may ask for rows a few times (settings, then the balances that they name); more is a fault. */
const MOST_ROUNDS = 8;

export interface BatchResult {
  /** One for each command, in order; undefined for one that was not wanted any more. */
  readonly outcomes: readonly (Outcome | undefined)[];
  /** Balances as they stand after the batch, by the id of their book, for the copies. */
  readonly balances: ReadonlyMap<string, readonly Balance[]>;
  /** What was moved, by tenant; what the same work moved at a service is not told again. */
  readonly entries: ReadonlyMap<string, readonly (LedgerEntry | SettingsEntry)[]>;
  /** The record's time under the locks, and this process's clock when it was known. */
  readonly now: Instant;
  readonly readAt: number;
}

/** What a batch needs of the process that runs it. */
export interface BatchHooks {
  /** The record's time, estimated. */
  now(): Instant;
  readonly runtime: Runtime;
}

/**
 * Runs commands in one transaction: locks their tenants and then their services, decides each by the rules on the locked rows, writes, commits.
 * Nothing is decided before the locks and nothing is answered before the commit. A command that `isWanted` denies once the
 * locks are held is left out: the wait for them may have been longer than its caller's.
 * @throws what the record throws; then none of the commands had an effect, or, when the connection was lost during the
 * commit, all of them may have had theirs. Both are mended by running the same commands again: each is idempotent.
 */
export async function runBatch(
  record: RecordStore,
  directory: Directory,
  commands: readonly Command[],
  hooks: BatchHooks,
  isWanted: (index: number) => boolean,
): Promise<BatchResult> {
  const books: Books = new Map();
  for (const command of commands) {
    bookIn(books, command.tenantId);
    if (serviceIn(command) !== null) bookIn(books, serviceBookId(serviceIn(command)!));
  }
  const wants = commands.flatMap((command) => prefetch(command, directory, hooks.now()));
  const transaction = await record.begin(books, wants);
  const readAt = hooks.runtime.now();
  let outcomes: BatchResult["outcomes"];
  try {
    for (const book of books.values()) directory.fill(book);
    outcomes = await decideAll(transaction, books, commands, isWanted);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  if ([...books.values()].some(({ isChanged }) => isChanged)) await transaction.commit(books);
  else await transaction.rollback();
  for (const book of books.values()) directory.learn(book);
  const balances = new Map([...books].map(([id, book]) => [id, [...book.consulted.values()]]));
  const entries = new Map(
    [...books].filter(([id]) => serviceOfBook(id) === null).map(([id, book]) => [id, book.changes.entries]),
  );
  return { outcomes, balances, entries, now: transaction.now, readAt };
}

async function decideAll(
  transaction: RecordTransaction,
  books: Books,
  commands: readonly Command[],
  isWanted: (index: number) => boolean,
): Promise<BatchResult["outcomes"]> {
  const outcomes: (Outcome | undefined)[] = commands.map(() => undefined);
  let open = commands.map((_, i) => i).filter(isWanted);
  for (let round = 0; open.length > 0; round += 1) {
    if (round === MOST_ROUNDS) throw new Error(`undecided after ${MOST_ROUNDS} rounds: ${commands[open[0]!]!.type}`);
    const wants: Want[] = [];
    open = open.filter((i) => {
      const command = commands[i]!;
      const result = tryDecide(books.get(command.tenantId)!, command, transaction.now);
      if (!(result instanceof NotLoaded)) outcomes[i] = result;
      // One by one: the end of a large tree wants more rows than a call takes arguments.
      else for (const want of result.wants) wants.push(want);
      return result instanceof NotLoaded;
    });
    if (wants.length > 0) await transaction.load(books, wants);
  }
  return outcomes;
}

/** The rows that a command will probably need, so that they come with the lock. A wrong guess costs a round trip. */
function prefetch(command: Command, directory: Directory, now: Instant): Want[] {
  const { tenantId } = command;
  const wants: Want[] = [];
  const want = (kind: Want["kind"], id: string) => wants.push({ tenantId, kind, id });
  const use = keyOf(command);
  if (use) want("key", use.key);
  if (!directory.knownTenant(tenantId)) want("settings", tenantId);
  if ("reservationId" in command && command.type !== "reserve") want("reservation", command.reservationId);
  if ("jobId" in command && command.type !== "createJob") want("job", command.jobId);
  if (command.type === "charge") want("attempts", attemptsId(command.reservationId, command.child));
  if (command.type === "endJob") want("descendants", command.jobId);
  if (command.type === "createJob" && command.parent) want("job", command.parent.jobId);
  if (command.type === "reserve") for (const key of balanceKeys(command, directory, now)) want("balance", key);
  if (command.type !== "reserve" || command.service === null) return wants;
  return [...wants, ...serviceWants(command, directory, now)];
}

/** The service that a command names. What belongs to one without naming it is found by its reservation. */
function serviceIn(command: Command): string | null {
  if (command.type === "configure") return command.change.change === "share" ? command.change.service : null;
  return command.type === "reserve" ? command.service : null;
}

/** What a reservation will meet at the service, as far as this process knows it. */
function serviceWants({ service, ask }: Reserve, directory: Directory, now: Instant): Want[] {
  const tenantId = serviceBookId(service!);
  const known = directory.knownTenant(tenantId);
  if (!known) return [{ tenantId, kind: "settings", id: tenantId }];
  const places = servicePlaces(tenantId, known.settings, Object.keys(sizeOf(ask)?.total ?? {}), now);
  return places.map(({ key }) => ({ tenantId, kind: "balance", id: key }));
}

/** The balances that a reservation will meet, as far as this process knows its tenant and its job. */
function balanceKeys({ tenantId, jobId, ask, service }: Reserve, directory: Directory, now: Instant): string[] {
  const tenant = directory.knownTenant(tenantId);
  const job = directory.knownJob(tenantId, jobId);
  if (!tenant || !job) return [];
  const { settings, users } = tenant;
  const own = (job.user !== null && users.get(job.user)) || {};
  const units = Object.keys(sizeOf(ask)?.total ?? {}).filter((unit) => lookUp(settings.allowances, unit));
  return placesOf({ tenantId, job, settings, own, service }, units, now).map(({ key }) => key);
}
