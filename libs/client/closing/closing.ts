import type { Api } from "../api/api.js";
import type { Amounts, FinishBody } from "../api/types.js";
import { AttemptsExhausted, Conflict, HoldfastError, ProblemError, StateRefused } from "../errors/errors.js";
import { plus } from "../work/spending.js";
import type { Closing } from "./facts.js";
import type { Journal } from "./journal.js";

/** `journalled`: the service could not be told, and the next start tells it. */
export type ClosedAs = "settled" | "released" | "journalled";

/**
 * What was used could not be booked: the service did not answer or refused it for good, and there is no journal to keep it
 * in. `closing` is what is left to say, and can be handed to `holdfast.close` later.
 */
export class NotSettled extends HoldfastError {
  constructor(
    readonly closing: Closing,
    cause: unknown,
  ) {
    super(`what reservation ${closing.reservationId} used is not booked`, { cause });
  }
}

/** True where trying again later may book it. A key that is refused may be replaced. */
export function mayCloseLater(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return true;
  return error.retryable || error.status === 401 || error.status === 403;
}

/** Ends reservations: exactly one of settle and release is what takes effect, and a release never follows use. */
export class Closer {
  constructor(
    private readonly api: Api,
    private readonly journal: Journal | undefined,
  ) {}

  /** No signal: what was used is told also when its caller was aborted. @throws NotSettled */
  async close(closing: Closing): Promise<ClosedAs> {
    try {
      return await this.tell(closing);
    } catch (error) {
      if (!this.journal || !mayCloseLater(error)) throw new NotSettled(closing, error);
      await this.journal.keep(closing).catch((unwritten: unknown) => {
        throw new NotSettled(closing, unwritten);
      });
      return "journalled";
    }
  }

  /** The same again has the same effect. @throws what the service answers. */
  async tell({ reservationId, finishes, actual }: Closing): Promise<"settled" | "released"> {
    if (actual === null) return this.release(reservationId);
    let besides = actual;
    for (const { permitId, body } of finishes) besides = plus(besides, await this.finish(permitId, body));
    await this.api.reservations.settle(reservationId, besides);
    return "settled";
  }

  /** What the attempt used that is left to the settlement: nothing, or all where the plan has no room to charge it. */
  private async finish(permitId: string, body: FinishBody): Promise<Amounts> {
    try {
      await this.api.permits.finish(permitId, body);
      return {};
    } catch (error) {
      if (error instanceof Conflict || error instanceof AttemptsExhausted) return body.actual;
      throw error;
    }
  }

  /** Nothing was used, so whatever else ended the reservation is as good, and so is its deadline. */
  private async release(reservationId: string): Promise<"released"> {
    try {
      await this.api.reservations.release(reservationId);
    } catch (error) {
      if (!mayCloseLater(error) && !(error instanceof StateRefused)) throw error;
    }
    return "released";
  }
}
