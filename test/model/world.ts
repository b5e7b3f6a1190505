import { decide, type Command, type Ledger, type Outcome, type TenantBook } from "#libs/ledger";
import { bookOf, NOON, type BookSettings } from "../support/book.js";
import { commandsOf } from "../support/commands.js";
import type { TestRecord } from "../support/record.js";
import { inSomeOrder } from "./order.js";
import { commandOf, remember, type Made, type Placed, type Step } from "./steps.js";
import { shapeIn, shapeOf, textOf } from "./shape.js";

/** The same tenants twice: in a record behind two ledgers, and as whole books that the bare rules decide on. */
export class World {
  private readonly made: Made[] = [];
  private readonly books: TenantBook[] = [];

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
    for (const settings of tenants) {
      const book = bookOf(settings);
      await record.newTenant(settings, book.tenantId);
      world.books.push(book);
      world.made.push({ tenantId: book.tenantId, jobs: [], reservations: [], sent: [] });
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
    for (const book of this.books) expect(await shapeIn(this.record, book.tenantId)).toEqual(shapeOf(book));
  }

  /** A command alone: the same outcome to the last figure, and the same balances. */
  private async runOne({ tenant, action }: Placed): Promise<void> {
    const command = commandOf(action, this.made[tenant]!);
    const expected = decide(this.books[tenant]!, command, this.now);
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
    for (const [tenant, book] of this.books.entries()) {
      const mine = commands.flatMap((one, i) => (one.tenant === tenant ? [given(one.command, outcomes[i]!)] : []));
      const stands = textOf(await shapeIn(this.record, book.tenantId));
      const end = inSomeOrder(book, mine, this.now, (ended) => textOf(shapeOf(ended)) === stands);
      if (!end) throw new Error(`no order of these explains ${JSON.stringify({ mine, stands }, null, 1)}`);
      this.books[tenant] = end;
    }
    await this.record.expectSound();
    await this.knowTime();
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
    for (const [i, book] of this.books.entries()) {
      const command: Command = { type: "openWindows", tenantId: book.tenantId };
      expect(await this.send(this.ledgers[0], command)).toEqual(decide(this.books[i]!, command, this.now));
      await this.send(this.ledgers[1], command);
      this.made[i]!.jobs.length ||= await this.firstJob(i);
    }
  }

  private async firstJob(tenant: number): Promise<number> {
    const { tenantId, jobs } = this.made[tenant]!;
    const command = commandsOf(tenantId).createJob({ user: "ann" });
    jobs.push(command.jobId);
    expect(await this.send(this.ledgers[0], command)).toEqual(decide(this.books[tenant]!, command, this.now));
    return jobs.length;
  }

  private async expectSameBalances(): Promise<void> {
    for (const book of this.books) {
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

function plain(outcome: Outcome): unknown {
  return JSON.parse(JSON.stringify(outcome));
}

function given(command: Command, outcome: Outcome) {
  const isDenial = command.type === "reserve" && outcome.type === "refused" && outcome.refusal.denial !== undefined;
  const text = textOf(outcome);
  return { command, text, isDenial, says: (other: Outcome) => textOf(other) === text };
}
