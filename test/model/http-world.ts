import { decide, type Command, type Outcome } from "#libs/ledger";
import { balancesIn, expectSound, NOON, reservationsIn, type BookSettings, type WholeBooks } from "../support/book.js";
import { commandsOf } from "../support/commands.js";
import type { CutAt } from "../support/cut.js";
import type { Replicas } from "../support/replicas.js";
import { apart } from "./apart.js";
import { isKeyed } from "./client.js";
import { decideWhatIsDue } from "./due.js";
import { Cast, type Run, type Tenant } from "./http-cast.js";
import { inSomeOrder } from "./order.js";
import { expectAllShown, expectBinding, expectCopies, expectServiceShown } from "./reads.js";
import {
  decidedOf,
  expectCoherent,
  gotOf,
  operationOf,
  partsOf,
  otherUnderSameKey,
  refusedBefore,
  instanceOf,
  type Got,
} from "./requests.js";
import { copiesOf, shapeIn, shapeOf, textOf } from "./shape.js";
import { shownAfter } from "./shown.js";
import { commandOf, remember, type How, type Placed, type Step } from "./steps.js";

/** The longest life that the steps give to a reservation. */
const LONGEST_LIFE_MS = 7_200_000;

/** The same tenants, and what they work at, twice: in a service of several processes, and as whole books that the bare rules decide on. */
export class HttpWorld {
  private now = NOON;
  /** Which process is next. */
  private turn = 0;

  private constructor(
    private readonly service: Replicas,
    private readonly cast: Cast,
  ) {}

  static async start(service: Replicas, settings: readonly BookSettings[]): Promise<HttpWorld> {
    await service.record.setClock(NOON);
    const world = new HttpWorld(service, await Cast.start(service, settings));
    for (const command of world.cast.opening())
      await world.deliver({ tenant: world.cast.tenants[0]!, command }, "once");
    await world.moveClock(NOON);
    await Promise.all(world.cast.tenants.map((tenant) => world.openFirst(tenant)));
    return world;
  }

  /** A job and a reservation, so that there is something to settle. */
  private async openFirst(tenant: Tenant): Promise<void> {
    const commands = commandsOf(tenant.book.tenantId);
    await this.deliver({ tenant, command: commands.createJob({ user: "ann" }) }, "once");
    await this.deliver({ tenant, command: commands.reserve(tenant.made.jobs[0]!, { tokens: 1, calls: 1 }) }, "once");
    await this.expectCopiesOf(tenant);
  }

  async run(step: Step): Promise<void> {
    if (step.type === "advance") await this.moveClock(this.now + step.byMs);
    else if (step.type === "one") await this.runOne(step.placed, step.how);
    else await this.runGroup(step.actions, step.inBatch);
  }

  /** In the end all that stands and all that is shown is the same; and once all deadlines have passed only grants are held. */
  async expectSame(): Promise<void> {
    await this.expectRowsAndReads();
    await this.moveClock(this.now + LONGEST_LIFE_MS);
    await this.expectRowsAndReads();
    for (const { book, client } of this.cast.tenants) {
      expectSound(book);
      expect(reservationsIn(book).filter(({ state }) => state === "open")).toEqual([]);
      // Jobs hold the grants of their open children.
      expect(balancesIn(book).filter(({ scope, reserved }) => scope.kind !== "job" && reserved > 0)).toEqual([]);
      for (const tenant of client.at) await tenant.expectAtRest();
    }
  }

  private async expectRowsAndReads(): Promise<void> {
    const { books, tenants, service } = this.cast;
    for (const [id, book] of books) expect(await shapeIn(this.service.record, id)).toEqual(shapeOf(book));
    await expectServiceShown(this.service.at(this.turn++), books, service, this.now);
    await Promise.all(
      tenants.map(({ book, client }) => expectAllShown(client.next(this.turn++), book, service, this.now)),
    );
  }

  /** A command alone: the same answer to the last figure, and the same balances. */
  private async runOne({ tenant: index, action }: Placed, how: How): Promise<void> {
    const tenant = this.cast.tenants[index]!;
    if (action.kind === "expire") {
      const id = tenant.made.reservations[action.which % tenant.made.reservations.length]?.id ?? "";
      return this.moveClock(Math.max(this.now, tenant.book.reservations.find(id)?.expiresAt ?? 0));
    }
    const run = { tenant, command: commandOf(action, tenant.made) };
    if (how === "twice") await this.runTwice(run);
    else await this.deliver(run, how);
    await this.spread(run);
    await this.expectCopiesOf(tenant);
    await expectBinding(tenant.client.next(this.turn), tenant.book, this.now, jobOf(run));
  }

  /** The same at both processes at once has one effect. */
  private async runTwice(run: Run): Promise<void> {
    const [first, second] = await this.runTogether([run, run], false);
    if (!isKeyed(run.command) || first!.status >= 300) return;
    expect(first!.body).toEqual(second!.body);
    expect([first!.replayed, second!.replayed]).toContain(true);
  }

  private async deliver(run: Run, how: How): Promise<void> {
    const { tenant, command } = run;
    const at = this.turn++;
    const cutAt = tenant.client.cutAt(command, how, () => this.foretold(run).type === "done");
    if (cutAt !== null) return this.deliverCut(run, at, cutAt);
    const got = await tenant.client.send(at, command);
    this.account(run, got);
    if (how === "again" || how === "elsewhere") {
      const second = await tenant.client.send(how === "again" ? at : at + 1, command);
      this.account(run, second);
      if (isKeyed(command) && got.status < 300) expect(second).toEqual({ ...got, replayed: true });
    }
    if (how === "otherwise" && isKeyed(command)) {
      const elsewhere = tenant.made.jobs.find((id) => "jobId" in command && id !== command.jobId);
      const other = otherUnderSameKey(command, at % 3 === 0 ? undefined : elsewhere);
      const second = await tenant.client.send(at + 1, other);
      this.account({ tenant, command: other }, second);
      if (got.status < 300) expect(second).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    }
  }

  /** The client goes away, asks again at the other process, and learns there what came of it. */
  private async deliverCut(run: Run, at: number, cutAt: CutAt): Promise<void> {
    const { tenant, command } = run;
    await tenant.client.cut(at, command, cutAt);
    const got = await tenant.client.send(at + 1, command);
    if (cutAt === "answered" && isKeyed(command) && got.status < 300) expect(got.replayed).toBe(true);
    this.account(run, got, cutAt === "answered" || (cutAt === "sent" && got.replayed));
  }

  private foretold({ command }: Run): Outcome {
    const books = copiesOf(this.cast.books);
    return refusedBefore(command) ?? decide(books.get(command.tenantId)!, bound(command, "foretold"), this.now);
  }

  /** Decides what was sent and holds the answer against it. `twice`: it had been sent before, and that answer was lost. */
  private account({ tenant, command }: Run, got: Got, twice = false): void {
    const decided = decidedOf(command, got);
    const outcomes = Array.from(
      { length: twice ? 2 : 1 },
      () => refusedBefore(command) ?? decide(this.cast.books.get(command.tenantId)!, decided, this.now),
    );
    remember(tenant.made, { ...decided, ...("key" in command && { key: command.key }) } as Command, outcomes[0]!);
    const last = outcomes.at(-1)!;
    const { answer, body } = partsOf(command, got);
    expect({ command, got: answer }).toEqual({ command, got: gotOf(decided, last) });
    const book = this.cast.books.get(command.tenantId)!;
    const shown = last.type === "done" && !last.replayed ? shownAfter(book, decided, this.now) : null;
    if (shown) expect({ command, body }).toEqual({ command, body: shown });
  }

  private async runGroup(actions: readonly Placed[], inBatch: boolean): Promise<void> {
    const runs = actions
      .filter(({ action }) => action.kind !== "expire")
      .map(({ tenant: index, action }) => {
        const tenant = this.cast.tenants[index]!;
        return { tenant, command: commandOf(action, tenant.made) };
      });
    await this.runTogether(runs, inBatch);
    const changes = ({ command }: Run) => command.type === "configure" && command.change.change === "service";
    for (const run of runs) if (run.command.type === "endJob" || changes(run)) await this.spread(run);
    await this.service.record.expectSound();
    for (const tenant of new Set(runs.map((run) => run.tenant))) {
      await this.teach(tenant);
      await this.expectCopiesOf(tenant);
      const at = tenant.client.next(this.turn);
      await Promise.all(tenant.made.jobs.map((jobId) => expectBinding(at, tenant.book, this.now, jobId)));
    }
  }

  /** Commands at once, at both processes: some order of them gives the same answers and leaves the same rows. */
  private async runTogether(runs: readonly Run[], inBatch: boolean): Promise<Got[]> {
    const batched = runs.filter(({ command }) => inBatch && operationOf(command) !== null);
    const batches = [...new Set(batched.map(({ tenant }) => tenant))].map(async (tenant) => {
      const mine = batched.filter((run) => run.tenant === tenant);
      const results = await tenant.client.batch(
        this.turn++,
        mine.map(({ command }) => command),
      );
      return mine.map((run, i) => ({ ...run, got: results[i]!, instance: "/v1/batch" }));
    });
    const single = runs
      .filter((run) => !batched.includes(run))
      .map(async (run) => {
        const got = await run.tenant.client.send(this.turn++, run.command);
        return [{ ...run, got, instance: instanceOf(run.command) }];
      });
    const all = (await Promise.all([...batches, ...single])).flat();
    const commands = runs.map(({ command }) => command);
    for (const ids of apart(this.cast.books, this.cast.serviceId, commands)) {
      const mine = all.filter(({ command }) => ids.includes(command.tenantId));
      if (mine.length > 0) await this.explain(ids, mine);
    }
    return all.map(({ got }) => got);
  }

  /** Books that have one order. */
  private async explain(ids: readonly string[], all: readonly (Run & { got: Got; instance: string })[]): Promise<void> {
    const given = all.map(({ command, got: whole, instance }) => {
      const { answer: got } = partsOf(command, whole);
      const decided = decidedOf(command, got);
      const before = refusedBefore(command);
      if (got.status === 402) expectCoherent(got);
      if (before) expect(got).toEqual(gotOf(command, before, instance));
      const text = textOf(got);
      const says = (outcome: Outcome) => textOf(gotOf(decided, outcome, instance)) === text;
      const isDenial = got.status === 402 && command.type === "reserve";
      return { command: decided, text, isDenial, isOutside: before !== null, says };
    });
    const { books } = this.cast;
    const stands = await Promise.all(ids.map(async (id) => textOf(await shapeIn(this.service.record, id))));
    const isSame = (ended: WholeBooks) => ids.every((id, i) => textOf(shapeOf(ended.get(id)!)) === stands[i]);
    const inside = given.filter(({ isOutside }) => !isOutside);
    const end = inSomeOrder(new Map(ids.map((id) => [id, books.get(id)!])), inside, this.now, isSame);
    if (!end) throw new Error(`no order of these explains ${JSON.stringify({ given, stands }, null, 1)}`);
    this.cast.books = copiesOf(new Map([...books, ...end]));
    for (const { command, got, tenant } of all) {
      const outcome =
        got.status < 300 ? ({ type: "done", answer: got.body, replayed: got.replayed } as const) : REFUSED;
      remember(
        tenant.made,
        { ...decidedOf(command, got), ...("key" in command && { key: command.key }) } as Command,
        outcome,
      );
    }
  }

  /** What a process remembers of settings may be a second old, and of a job until it sees it again: both see a change. */
  private async spread({ tenant, command }: Run): Promise<void> {
    if (command.type === "configure") await this.teach(tenant, command.change.change === "service");
    if (command.type !== "endJob") return;
    const below = [...tenant.book.jobs.rows.values()].filter((job) => job?.ancestors.includes(command.jobId));
    for (const jobId of [command.jobId, ...below.map((job) => job!.id)]) {
      const same = { ...command, jobId };
      for (const got of await tenant.client.sendToAll(same)) this.account({ tenant, command: same }, got);
    }
  }

  /** A change to what already is shows a process the record's time and the tenant's settings; or those of the service. */
  private async teach(tenant: Tenant, service = false): Promise<void> {
    const command = service ? this.cast.serviceAsItIs() : this.cast.stateAsItIs(tenant);
    if (!service) for (const got of await tenant.client.sendToAll(command)) this.account({ tenant, command }, got);
    // Each of these is one more version, which its answer shows.
    else for (const turn of [0, 1]) this.account({ tenant, command }, await tenant.client.send(turn, command));
  }

  /** The copies of the tenant, and of the service that it may have moved. */
  private async expectCopiesOf({ client, book }: Tenant): Promise<void> {
    const { books, serviceId } = this.cast;
    for (const one of [book, books.get(serviceId)!]) await expectCopies(client.at[0]!.holdfast, one);
  }

  /** Moves the record's clock, and lets the reconciler do what is due by then. */
  private async moveClock(to: number): Promise<void> {
    this.now = to;
    await this.service.record.setClock(to);
    const tasks = ["expire", "periods"];
    const { body } = await this.service.at(this.turn++).admin("POST", "/v1/admin/reconcile", { tasks });
    expect(body["data"]).toEqual(tasks.map((task) => expect.objectContaining({ task, outcome: "ok", failed: 0 })));
    for (const book of this.cast.books.values()) decideWhatIsDue(book, to);
    await Promise.all(
      this.cast.tenants.map(async (tenant) => {
        await this.teach(tenant);
        await this.expectCopiesOf(tenant);
      }),
    );
  }
}

const REFUSED: Outcome = { type: "refused", refusal: { code: "conflict", detail: "" } };

/** The command with an id that nobody is shown. */
function bound(command: Command, id: string): Command {
  return decidedOf(command, { status: 0, replayed: false, body: { id } });
}

function jobOf({ tenant, command }: Run): string | undefined {
  if (command.type === "createJob") return tenant.made.jobs.at(-1);
  if ("jobId" in command) return command.jobId;
  return "reservationId" in command ? tenant.book.reservations.find(command.reservationId)?.jobId : undefined;
}
