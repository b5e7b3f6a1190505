import { NotLoaded, type TenantBook } from "./book.js";
import { done, refused, type Command, type KeyUse, type Outcome } from "./commands.js";
import type { Instant, KeyRecord } from "./entities.js";
import { lookAgain } from "./rules/again.js";
import { charge } from "./rules/charge.js";
import { expire, release, settle } from "./rules/close.js";
import { configure } from "./rules/configure.js";
import { extend } from "./rules/extend.js";
import { createJob, endJob } from "./rules/jobs.js";
import { reserve } from "./rules/reserve.js";
import { openWindows } from "./rules/windows.js";

/**
 * The ledger's rules, whole: decides one command on the rows of its tenant and applies it to them. A refused command
 * changes nothing. One idempotency key has one effect; refusals are not kept, so a refused key is decided afresh.
 * @throws NotLoaded, before anything was changed, where a row is needed that the book does not have.
 */
export function decide(book: TenantBook, command: Command, now: Instant): Outcome {
  const use = keyOf(command);
  const record = use && book.keys.find(use.key);
  if (record) {
    lookAgain(book, command, now);
    return replay(record, use.fingerprint);
  }
  const outcome = run(book, command, now);
  if (use && outcome.type === "done" && !isDryRun(command)) {
    book.addKey({ ...use, answer: JSON.stringify(outcome.answer), createdAt: now });
  }
  return outcome;
}

/** Like {@link decide}, but answers NotLoaded instead of throwing it. */
export function tryDecide(book: TenantBook, command: Command, now: Instant): Outcome | NotLoaded {
  try {
    return decide(book, command, now);
  } catch (thrown) {
    if (thrown instanceof NotLoaded) return thrown;
    throw thrown;
  }
}

/** What a key that already has an effect answers to a request. */
export function replay(record: KeyRecord, fingerprint: string): Outcome {
  if (record.fingerprint !== fingerprint) {
    return refused("idempotency_key_reused", "This idempotency key was used for another request.");
  }
  return { ...done(JSON.parse(record.answer) as object), replayed: true } as Outcome;
}

export function keyOf(command: Command): KeyUse | null {
  return "key" in command ? command.key : null;
}

/** It has no effect that its key could stand for. */
function isDryRun(command: Command): boolean {
  return command.type === "reserve" && command.dryRun;
}

function run(book: TenantBook, command: Command, now: Instant): Outcome {
  switch (command.type) {
    case "reserve":
      return reserve(book, command, now);
    case "settle":
      return settle(book, command, now);
    case "charge":
      return charge(book, command, now);
    case "release":
      return release(book, command, now);
    case "extend":
      return extend(book, command, now);
    case "expire":
      return expire(book, command, now);
    case "openWindows":
      return openWindows(book, command, now);
    case "createJob":
      return createJob(book, command, now);
    case "endJob":
      return endJob(book, command, now);
    case "configure":
      return configure(book, command, now);
  }
}
