import type { Command, Outcome } from "#libs/ledger";
import type { Answers } from "./answers.js";
import type { SimProcess } from "./process.js";
import type { Random } from "../support/random.js";
import type { Scheduler } from "./scheduler.js";
import { nextRequest, type Known, type Names, type Request } from "./workload.js";

const CLIENT_TIMEOUT_MS = 2_500;
const MOST_TRIES = 8;

export interface Counts {
  sent: number;
  retried: number;
  /** No answer after all tries: the outcome is unknown to the client. */
  unknown: number;
}

/** The clients of the service: they send, wait, give up, and send the same again to whatever process they find. */
export class Clients {
  readonly counts: Counts = { sent: 0, retried: 0, unknown: 0 };
  /** How often a request, or the answer to it, is lost on the way. */
  loss = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    private readonly processes: readonly SimProcess[],
    private readonly answers: Answers,
  ) {}

  /** One client after the other request until `isOver`. */
  async live(known: Known, names: Names, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.scheduler.sleep(this.random.chance(0.3) ? 0 : this.random.between(1, 120));
      const request = nextRequest(this.random, names, known);
      // Now and then the same twice at once, as a proxy that retries would do.
      const twice = this.random.chance(0.05) ? this.send(request) : null;
      const outcome = await this.send(request);
      await twice;
      if (outcome) remember(known, request, outcome);
    }
  }

  /** Sends until there is an answer; null where there was none after all tries. */
  async send(request: Request): Promise<Outcome | null> {
    this.counts.sent += 1;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (tries > 0) this.counts.retried += 1;
      const answer = await this.ask(this.random.pick(this.processes), request());
      if (answer) return answer;
      await this.scheduler.sleep(this.random.between(20, 400));
    }
    this.counts.unknown += 1;
    return null;
  }

  /** null: try again, with the same key. */
  ask(process: SimProcess, command: Command): Promise<Outcome | null> {
    const { scheduler, random } = this;
    return new Promise((resolve) => {
      const timeout = scheduler.after(CLIENT_TIMEOUT_MS, () => resolve(null));
      const reach = (answer: Outcome | null): void => {
        if (random.chance(this.loss)) return;
        timeout.dropped = true;
        scheduler.after(random.between(0.1, 1), () => resolve(answer));
      };
      const { actor } = process;
      if (!actor.alive) return reach(null);
      if (random.chance(this.loss)) return;
      const handle = async (): Promise<void> => {
        const at = scheduler.now;
        const answer = await process.handle(command);
        if (answer === "unavailable" || answer === "shutting down") return reach(null);
        this.answers.check({ command, at, by: actor }, answer);
        if (!(answer instanceof Error)) reach(answer);
      };
      scheduler.after(random.between(0.1, 1), () => void handle(), actor);
    });
  }
}

function remember({ jobs, holdings }: Known, request: Request, outcome: Outcome): void {
  const command = request();
  if (outcome.type === "refused") return;
  const said = outcome.answer as { id: string; reserved: Record<string, number> };
  if (command.type === "createJob") jobs.push(said.id);
  if (command.type === "reserve" && !command.dryRun) holdings.push(said);
  if (jobs.length > 6) jobs.shift();
  if (holdings.length > 8) holdings.shift();
}
