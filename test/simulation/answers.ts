import { isDeepStrictEqual } from "node:util";
import {
  keyOf,
  type Charge,
  type Command,
  type Configure,
  type Denial,
  type Outcome,
  type Refusal,
  type Release,
  type Reservation,
  type Settle,
} from "#libs/ledger";
import { had, type Account } from "./accounts.js";
import type { Auditor, Ledgered } from "./auditor.js";
import type { Actor } from "./scheduler.js";

/** How old what a denial rests on may be, milliseconds. */
const FRESH_MS = 2_000;

interface Asked {
  readonly command: Command;
  /** Virtual time at which the process took the request. */
  readonly at: number;
  readonly by: Actor;
}

/**
 * Holds what a process answers, at the moment it answers, to what is committed then: an acknowledgement is recorded, a
 * denial says what the record said within the last two seconds, and nothing fails but for a record that is away.
 */
export class Answers {
  acknowledged = 0;
  denied = 0;
  /** How far the clock of Redis was set back, milliseconds: copies may look so much fresher than they are. */
  slackMs = 0;
  /**
   * Who is told of room that was given back finds it: at every process where nothing is disturbed, at the same process
   * while Redis only fails, and nowhere for sure where it forgets or goes back.
   */
  findsRoom: "everywhere" | "there" | "maybe" = "maybe";
  /** When room was given back, and when somebody was told of it. */
  private readonly freed: {
    readonly accounts: readonly Account[];
    readonly at: number;
    readonly toldAt: number;
    readonly by: Actor;
  }[] = [];

  constructor(
    private readonly auditor: Auditor,
    private readonly time: () => number,
  ) {}

  check(asked: Asked, answer: Outcome | Error): void {
    const { command } = asked;
    if (answer instanceof Error) return this.auditor.find(`${command.type} failed: ${answer.message}`);
    const known = this.auditor.tenants.get(command.tenantId)!;
    if (answer.type === "done") return this.checkDone(asked, answer, known);
    this.denied += 1;
    const row = "reservationId" in command ? known.reservations.get(command.reservationId)?.row : undefined;
    const isClosed = row && (command.type === "settle" || command.type === "release") && isClosedBy(command, row);
    const isCharged = command.type === "charge" && hasAttempt(command, known);
    if (isClosed || isCharged)
      this.auditor.find(`${command.type} was refused (${answer.refusal.code}), though it is what was done`);
    this.checkKept(asked, answer.refusal, known);
    const { denial } = answer.refusal;
    if (denial && command.type === "reserve") this.checkDenial(asked, denial, known);
  }

  private checkDone(
    { command, by }: Asked,
    { answer, replayed }: Extract<Outcome, { type: "done" }>,
    known: Ledgered,
  ): void {
    this.acknowledged += 1;
    if (command.type === "reserve" && command.dryRun) return;
    const wrong = (what: string) =>
      this.auditor.find(`${command.type} was acknowledged${replayed ? " again" : ""}, but ${what}`);
    const said = answer as Record<string, unknown>;
    const use = keyOf(command);
    const kept = use && known.keys.get(use.key);
    if (use && !isDeepStrictEqual(kept?.answer, said)) wrong(`its key stands for ${JSON.stringify(kept)}`);
    if (use && use.fingerprint !== kept?.fingerprint) wrong("its key was used for another request");
    if (command.type === "configure") this.checkAdjusted(command, said, known, wrong);
    this.checkMade(command, said["id"] as string, known, wrong);
    if (command.type === "charge" && !hasAttempt(command, known)) wrong("it is not recorded");
    this.tell(command, known, by);
    if (!("reservationId" in command) || command.type === "reserve") return;
    this.checkClosing(command, said, known, wrong);
  }

  /** Room that this answer tells of: what a reservation or an ended child gave back. */
  private tell(command: Command, known: Ledgered, by: Actor): void {
    const toldAt = this.time();
    if (command.type === "endJob") {
      const parent = known.jobs.get(command.jobId)?.ancestors[0];
      const at = known.ended.get(command.jobId);
      if (parent === undefined || at === undefined) return;
      const accounts = [...known.accounts.of("job", parent, "tokens"), ...known.accounts.of("job", parent, "calls")];
      this.freed.push({ accounts, at, toldAt, by });
    }
    if (!("reservationId" in command) || command.type === "reserve") return;
    const held = known.reservations.get(command.reservationId);
    const at = command.type === "charge" ? held?.freed : held?.closed;
    if (!held || at === undefined || at === Infinity) return;
    const accounts = [...held.accounts, ...held.service.values()].map(({ account }) => account);
    this.freed.push({ accounts, at, toldAt, by });
  }

  /** A request that has had its effect is never refused, and another one under its key is told that it was used. */
  private checkKept({ command, at }: Asked, { code }: Refusal, { keys }: Ledgered): void {
    const use = keyOf(command);
    const kept = use && keys.get(use.key);
    if (!use || !kept || kept.since >= at) return;
    const expected = use.fingerprint === kept.fingerprint ? "its first answer" : "idempotency_key_reused";
    if (code !== expected)
      this.auditor.find(`${command.type} was refused (${code}) under a key in use: not ${expected}`);
  }

  private checkAdjusted(
    { change }: Configure,
    said: Record<string, unknown>,
    { changes }: Ledgered,
    wrong: (what: string) => void,
  ): void {
    if (change.change !== "adjust") return;
    const to = said["limit"] as number;
    if (!changes.has(`${to - change.delta} ${to}`)) wrong(`no limit moved by ${change.delta} to ${to}`);
  }

  private checkMade(command: Command, id: string, known: Ledgered, wrong: (what: string) => void): void {
    if (command.type === "createJob" && !known.jobs.has(id)) wrong("the job is not recorded");
    if (command.type === "endJob" && known.jobs.get(command.jobId)?.state !== command.state) wrong("the job is open");
    if (command.type === "reserve" && !known.reservations.has(id)) wrong("it is not recorded");
  }

  private checkClosing(
    command: Command,
    said: Record<string, unknown>,
    known: Ledgered,
    wrong: (what: string) => void,
  ): void {
    if (command.type !== "settle" && command.type !== "release" && command.type !== "extend") return;
    const row = known.reservations.get(command.reservationId)?.row;
    if (!row) return wrong("there is no such reservation");
    if (command.type === "extend") {
      if (row.expiresAt < Date.parse(said["expiresAt"] as string)) wrong("its deadline is earlier");
      return;
    }
    if (command.type === "settle") this.checkSettlement(row, said, wrong);
    if (!isClosedBy(command, row)) wrong(`it is ${row.state} with ${JSON.stringify(row.actual)}`);
  }

  private checkSettlement(
    { reserved, charged, actual }: Reservation,
    said: Record<string, unknown>,
    wrong: (what: string) => void,
  ): void {
    const parts = said as Partial<Record<"released" | "overage", Record<string, number>>>;
    for (const [unit, amount] of Object.entries(reserved)) {
      const difference = amount - charged[unit]! - (actual?.[unit] ?? 0);
      const isRight =
        parts.released?.[unit] === Math.max(0, difference) && parts.overage?.[unit] === Math.max(0, -difference);
      if (!isRight)
        wrong(
          `of ${amount} it released ${JSON.stringify(said["released"])} with ${JSON.stringify(said["overage"])} over`,
        );
    }
  }

  private checkDenial({ at: askedAt, by }: Asked, denial: Denial, known: Ledgered): void {
    const { scope, unit, limit, reserved, spent, requested } = denial;
    const tell = (what: string) =>
      this.auditor.find(`denied at ${scope.kind} ${scope.id}, ${reserved} + ${spent} of ${limit}: ${what}`);
    if (limit === null || requested <= limit - reserved - spent) return tell(`${requested} would have fitted`);
    if (reserved === 0 && spent === 0) return;
    const told = this.freed.filter((one) => one.toldAt <= askedAt && this.finds(one.by, by));
    const wasSo = (account: Account): boolean => {
      const here = told.filter(({ accounts }) => accounts.includes(account));
      const from = Math.max(askedAt - FRESH_MS - this.slackMs, ...here.map(({ at }) => at));
      return had(account, { limit, reserved, spent }, from);
    };
    const isOfAll = scope.kind === "service" && scope.tenantId === undefined;
    const { accounts } = isOfAll ? this.auditor.tenants.get(`service:${scope.id}`)! : known;
    if (![...accounts.of(scope.kind, scope.id, unit)].some(wasSo))
      tell(`it was never so of late; asked at ${Math.round(askedAt)}, now ${Math.round(this.time())}`);
  }

  private finds(told: Actor, asked: Actor): boolean {
    return this.findsRoom === "everywhere" || (this.findsRoom === "there" && told === asked);
  }
}

/** True where just these facts were charged. */
function hasAttempt({ reservationId, child, attempt, outcome, actual }: Charge, known: Ledgered): boolean {
  const of = known.reservations.get(reservationId)?.attempts ?? [];
  const facts = JSON.stringify([child, attempt, outcome, actual]);
  return of.some((one) => JSON.stringify([one.child, one.attempt, one.outcome, one.actual]) === facts);
}

/** True where the reservation stands as the command would leave it. */
function isClosedBy(command: Settle | Release, { state, actual }: Reservation): boolean {
  if (command.type === "release") return state === "released";
  return state === "settled" && JSON.stringify(actual) === JSON.stringify(command.actual);
}
