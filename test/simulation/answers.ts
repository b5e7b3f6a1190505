import type { Command, Denial, Outcome, Release, Reservation, Reserve, Settle } from "#libs/ledger";
import { had, type Account } from "./accounts.js";
import type { Auditor, Ledgered } from "./auditor.js";

/** How old what a denial rests on may be, milliseconds. */
const FRESH_MS = 2_000;

interface Asked {
  readonly command: Command;
  /** Virtual time at which the process took the request. */
  readonly at: number;
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
  /** Nothing is disturbed: whoever was told of room that was given back finds it. */
  calm = false;
  /** When room was given back, and when somebody was told of it. */
  private readonly freed: { readonly tenantId: string; readonly toldAt: number; readonly at: number }[] = [];

  constructor(
    private readonly auditor: Auditor,
    private readonly time: () => number,
  ) {}

  check(asked: Asked, answer: Outcome | Error): void {
    const { command } = asked;
    if (answer instanceof Error) return this.auditor.find(`${command.type} failed: ${answer.message}`);
    const known = this.auditor.tenants.get(command.tenantId)!;
    if (answer.type === "done") return this.checkDone(command, answer, known);
    this.denied += 1;
    const row = "reservationId" in command ? known.reservations.get(command.reservationId)?.row : undefined;
    const isSame = row && (command.type === "settle" || command.type === "release") && isClosedBy(command, row);
    if (isSame) this.auditor.find(`${command.type} was refused (${answer.refusal.code}), though it is what was done`);
    const { denial } = answer.refusal;
    if (denial && command.type === "reserve") this.checkDenial(command, denial, known, asked.at);
  }

  private checkDone(command: Command, { answer, replayed }: Extract<Outcome, { type: "done" }>, known: Ledgered): void {
    this.acknowledged += 1;
    if (command.type === "reserve" && command.dryRun) return;
    const wrong = (what: string) =>
      this.auditor.find(`${command.type} was acknowledged${replayed ? " again" : ""}, but ${what}`);
    const said = answer as Record<string, unknown>;
    if ("key" in command && command.key) {
      const kept = known.keys.get(command.key.key);
      if (JSON.stringify(kept) !== JSON.stringify(said)) wrong(`its key stands for ${JSON.stringify(kept)}`);
    }
    if (command.type === "createJob" && !known.jobs.has(said["id"] as string)) wrong("the job is not recorded");
    if (command.type === "endJob" && known.jobs.get(command.jobId)?.state !== command.state) wrong("the job is open");
    if (command.type === "reserve" && !known.reservations.has(said["id"] as string)) wrong("it is not recorded");
    this.checkClosing(command, said, known, wrong);
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
    this.freed.push({ tenantId: command.tenantId, toldAt: this.time(), at: known.reservations.get(row.id)!.closed });
    if (!isClosedBy(command, row)) wrong(`it is ${row.state} with ${JSON.stringify(row.actual)}`);
  }

  private checkDenial(command: Reserve, denial: Denial, known: Ledgered, askedAt: number): void {
    const { scope, unit, limit, reserved, spent, requested } = denial;
    const tell = (what: string) =>
      this.auditor.find(`denied at ${scope.kind} ${scope.id}, ${reserved} + ${spent} of ${limit}: ${what}`);
    if (limit === null || requested <= limit - reserved - spent) return tell(`${requested} would have fitted`);
    if (reserved === 0 && spent === 0) return;
    const told = this.freed.filter(({ tenantId, toldAt }) => tenantId === command.tenantId && toldAt <= askedAt);
    const freed = this.calm ? told.map(({ at }) => at) : [];
    const from = Math.max(askedAt - FRESH_MS - this.slackMs, ...freed);
    const accounts = [...known.accounts.of(scope.kind, scope.id, unit)];
    if (!accounts.some((account: Account) => had(account, { limit, reserved, spent }, from)))
      tell(
        `it was never so since ${Math.round(from)}; asked at ${Math.round(askedAt)}, now ${Math.round(this.time())}`,
      );
  }
}

/** True where the reservation stands as the command would leave it. */
function isClosedBy(command: Settle | Release, { state, actual }: Reservation): boolean {
  if (command.type === "release") return state === "released";
  return state === "settled" && JSON.stringify(actual) === JSON.stringify(command.actual);
}
