import { decide, serviceBookId, type Command, type Ledger, type Outcome } from "#libs/ledger";
import { bookOf, NOON, type BookSettings, type WholeBooks } from "../support/book.js";
import { commandsOf } from "../support/commands.js";
import { withoutTimes } from "../support/outcomes.js";
import type { TestRecord } from "../support/record.js";
import { apart } from "./apart.js";
import { inSomeOrder } from "./order.js";
import { commandOf, remember, type Made, type Placed, type Step } from "./steps.js";
import { copiesOf, shapeIn, shapeOf, textOf } from "./shape.js";

/** The same tenants, and a service of theirs, twice: in a record behind two ledgers, and as whole books that the bare rules decide on. */
export class World {
  private readonly made: Made[] = [];
  private books: WholeBooks = new Map();

  private constructor(
    private readonly record: TestRecord,
    private readonly ledgers: readonly [Ledger, Ledger],
    private now: number,
  ) {}

  static async start(
    record: TestRecord,
    ledgers: readonly [Ledger, Ledger],
    tenants: readonly BookSettings[],
  ): Promise<World> {
    const world = new World(record, ledgers, NOON);
    await record.setClock(world.now);
    const service = await record.newService({ tokens: 150 });
    bookOf({ allowances: { tokens: 150 } }, serviceBookId(service), world.books);
    for (const settings of tenants) {
      const { tenantId } = bookOf(settings, undefined, world.books);
      await record.newTenant(settings, tenantId);
      world.made.push({ tenantId, service, jobs: [], reservations: [], sent: [] });
    }
    await world.knowTime();
    return world;
  }

  async run(step: Step): Promise<void> {
    if (step.type === "advance") {
      this.now += step.byMs;
      await this.record.setClock(this.now);
      return this.knowTime();
    }
    if (step.type === "one") await this.runOne(step.placed);
    else await this.runGroup(step.actions);
  }

  /** In the end all that stands is the same, row by row. */
  async expectSame(): Promise<void> {
    for (const [id, book] of this.books) expect(await shapeIn(this.record, id)).toEqual(shapeOf(book));
  }

  /** A command alone: the same outcome to the last figure, and the same balances. */
  private async runOne({ tenant, action }: Placed): Promise<void> {
    const command = commandOf(action, this.made[tenant]!);
    const expected = this.decide(command);
    remember(this.made[tenant]!, command, expected);
    expect({ command, outcome: plain(await this.send(this.ledgers[0], command)) }).toEqual({
      command,
      outcome: plain(expected),
    });
    await this.expectSameBalances();
  }

  /** Commands at once, at both ledgers: some order of them gives the same outcomes and leaves the same rows. */
  private async runGroup(actions: readonly Placed[]): Promise<void> {
    const commands = actions.map(({ tenant, action }) => ({ tenant, command: commandOf(action, this.made[tenant]!) }));
    const outcomes = await Promise.all(
      commands.map(({ command }, i) => this.send(this.ledgerFor(command, i), command)),
    );
    for (const [i, { tenant, command }] of commands.entries()) remember(this.made[tenant]!, command, outcomes[i]!);
    const ran = commands.map(({ command }, i) => given(command, outcomes[i]!));
    const service = serviceBookId(this.made[0]!.service!);
    for (const ids of apart(
      this.books,
      service,
      commands.map(({ command }) => command),
    )) {
      const mine = ran.filter(({ command }) => ids.includes(command.tenantId));
      const stands = await Promise.all(ids.map(async (id) => textOf(await shapeIn(this.record, id))));
      const isSame = (ended: WholeBooks) => ids.every((id, i) => textOf(shapeOf(ended.get(id)!)) === stands[i]);
      const some = new Map(ids.map((id) => [id, this.books.get(id)!]));
      const end = inSomeOrder(some, mine, this.now, isSame);
      if (!end) throw new Error(`no order of these explains ${JSON.stringify({ mine, stands }, null, 1)}`);
      this.books = copiesOf(new Map([...this.books, ...end]));
    }
    await this.record.expectSound();
    await this.knowTime();
  }

  private decide(command: Command): Outcome {
    return decide(this.books.get(command.tenantId)!, command, this.now);
  }

  /** What a ledger remembers of settings and jobs may be a second old: changes of them go through the first. */
  private ledgerFor({ type }: Command, i: number): Ledger {
    return type === "configure" || type === "endJob" ? this.ledgers[0] : this.ledgers[i % 2]!;
  }

  private send(ledger: Ledger, command: Command): Promise<Outcome> {
    return command.type === "reserve" ? ledger.reserve(command) : ledger.execute(command);
  }

  /** A batch shows a ledger the record's time and the tenant's settings. */
  private async knowTime(): Promise<void> {
    for (const tenantId of this.books.keys()) {
      const command: Command = { type: "openWindows", tenantId };
      expect(await this.send(this.ledgers[0], command)).toEqual(this.decide(command));
      await this.send(this.ledgers[1], command);
    }
    for (const [i, { jobs }] of this.made.entries()) jobs.length ||= await this.firstJob(i);
  }

  private async firstJob(tenant: number): Promise<number> {
    const { tenantId, jobs } = this.made[tenant]!;
    const command = commandsOf(tenantId).createJob({ user: "ann" });
    jobs.push(command.jobId);
    expect(await this.send(this.ledgers[0], command)).toEqual(this.decide(command));
    return jobs.length;
  }

  private async expectSameBalances(): Promise<void> {
    for (const book of this.books.values()) {
      const { balances } = shapeOf(book);
      const rows = await this.record.balances(book.tenantId);
      expect(rows.map(byName)).toEqual(balances.map(byName).map((row) => expect.objectContaining(row)));
    }
  }
}

function byName(row: object): object {
  const { key, limit, reserved, spent, version } = row as Record<string, unknown>;
  return { key, limit, reserved, spent, version };
}

/** Copies deny at their own estimate of the time, and show what the record said a moment before. */
function plain(outcome: Outcome): unknown {
  if (outcome.type === "done") return JSON.parse(JSON.stringify(outcome));
  const { grounds, ...refusal } = outcome.refusal;
  return { ...JSON.parse(JSON.stringify(refusal)), ...(grounds && { grounds: withoutTimes(grounds) }) };
}

function given(command: Command, outcome: Outcome) {
  const isDenial = command.type === "reserve" && outcome.type === "refused" && outcome.refusal.denial !== undefined;
  const text = textOf(outcome);
  return { command, text, isDenial, says: (other: Outcome) => textOf(other) === text };
}
