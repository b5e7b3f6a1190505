import { setImmediate as endOfTurn } from "node:timers/promises";
import type { ChildStanding, Ledger } from "#libs/ledger";
import { notFound, Problem } from "../problems/problem.js";

/** What a reservation says of the attempts of one child. */
export interface Standing {
  readonly jobId: string;
  /** The service that it is for; null where none was named. */
  readonly service: string | null;
  /** Attempts that each child may have. */
  readonly attempts: number;
  /** The last one that was charged; 0 before the first. */
  readonly charged: number;
  /** Milliseconds until its deadline. */
  readonly leftMs: number;
}

/** Plain amounts set no number of attempts. */
const UNPLANNED = 1_000_000_000;

interface Asked {
  readonly tenantId: string;
  readonly reservationId: string;
  readonly child: number;
}

interface Waiting {
  readonly asked: Asked;
  resolve(row: ChildStanding | null): void;
  reject(error: unknown): void;
}

const MOST_TOGETHER = 200;

/** How reservations stand in the record now, as fresh as the question: what comes while one is under way is asked together. */
export class Standings {
  private waiting: Waiting[] = [];
  private atWork = false;

  constructor(private readonly ledger: Ledger) {}

  /** Throws Problem where the reservation grants this child nothing any more. */
  async of(asked: Asked): Promise<Standing> {
    const row = await new Promise<ChildStanding | null>((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      if (!this.atWork) void this.work();
    });
    if (!row) throw notFound("reservation");
    refuse(row, asked.reservationId, asked.child);
    const { plan, jobId, service, charged, leftMs } = row;
    return { jobId, service, attempts: plan?.attempts ?? UNPLANNED, charged, leftMs };
  }

  private async work(): Promise<void> {
    this.atWork = true;
    while (this.waiting.length > 0) {
      // What arrived together is asked together, the first one too.
      await endOfTurn();
      const together = this.waiting.splice(0, MOST_TOGETHER);
      try {
        const rows = await this.ledger.standings(
          together.map(({ asked: { tenantId, reservationId, child } }) => ({ tenantId, id: reservationId, child })),
        );
        together.forEach(({ resolve }, i) => resolve(rows[i]!));
      } catch (error) {
        together.forEach(({ reject }) => reject(error));
      }
    }
    this.atWork = false;
  }
}

function refuse({ state, plan, jobState, tenantState, leftMs, succeeded }: ChildStanding, id: string, child: number) {
  if (tenantState !== "active") throw new Problem("tenant_suspended", "The tenant is suspended.");
  if (state === "settled") throw new Problem("already_settled", "The reservation was settled.");
  if (state === "released") throw new Problem("already_released", "The reservation was released.");
  if (state === "expired" || leftMs <= 0) throw new Problem("reservation_expired", "The reservation has expired.");
  if (jobState !== "open") throw new Problem("job_not_open", `The job is ${jobState}.`);
  const over = (why: string) =>
    new Problem("attempts_exhausted", why, undefined, { scope: { kind: "reservation", id } });
  if (plan && child > plan.admittedChildren) throw over(`The plan was admitted for ${plan.admittedChildren} children.`);
  if (plan && succeeded) throw over(`Child ${child} has succeeded.`);
}
