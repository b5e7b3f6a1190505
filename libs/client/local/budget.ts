import {
  available,
  denialOf,
  MAX_AMOUNT,
  overage,
  sizeOf,
  type Amounts,
  type Ask,
  type Bound,
  type Denial,
} from "#libs/plan";
import { Held, isAmount } from "./held.js";

/** Unit name → limit. 0 means that nothing may be spent. */
export type BudgetLimits = Readonly<Record<string, number | "unlimited">>;

/** What a budget has in one unit. */
export interface BudgetFigures {
  readonly limit: number | "unlimited";
  readonly reserved: number;
  readonly spent: number;
  readonly available: number;
  readonly overage: number;
}

/** Refused for lack of allowance; nothing was held anywhere. To ask again is vain until something is given back. */
export class Denied extends Error {
  override readonly name = "Denied";

  constructor(
    /** The name of the budget that refused. */
    readonly budget: string,
    readonly denial: Omit<Denial, "scope">,
  ) {
    super(`${budget} has ${denial.available} ${denial.unit} left, and ${denial.requested} were asked for`);
  }
}

interface Account {
  /** null: unlimited. Undefined: never limited here, though counted. */
  limit: number | null | undefined;
  reserved: number;
  spent: number;
}

/**
 * A budget for one process, by the rule of a Holdfast ledger: `spent + reserved + amount ≤ limit`, here and in every
 * budget above, or nothing is held at all. All amounts are whole numbers, 0 … 2^53 − 1.
 */
export class Budget {
  private readonly accounts = new Map<string, Account>();
  private closed = false;

  /** @throws RangeError for a limit that is no amount */
  constructor(
    limits: BudgetLimits,
    readonly name: string = "the budget",
    private readonly parent: Budget | null = null,
  ) {
    for (const [unit, limit] of Object.entries(limits)) this.setLimit(unit, limit);
  }

  /** A part with limits of its own, for a job or a user. What it takes is taken from this budget too. */
  child(limits: BudgetLimits, name = `a part of ${this.name}`): Budget {
    return new Budget(limits, name, this);
  }

  /** May be less than what is held and spent: nothing more is admitted then, and what is open still settles. */
  setLimit(unit: string, limit: number | "unlimited"): void {
    if (limit !== "unlimited" && !isAmount(limit)) {
      throw new RangeError(`the limit of ${unit} must be a whole number from 0 to ${MAX_AMOUNT}, or "unlimited"`);
    }
    this.account(unit).limit = limit === "unlimited" ? null : limit;
  }

  /**
   * Holds a plan (`{ children, attempts, attemptCost }`) or `{ amounts }`, here and in every budget above.
   * @throws Denied
   * @throws RangeError for what is no amount, and for a unit that no budget limits: it is never free
   * @throws Error where this budget or one above is closed
   */
  reserve(ask: Ask): Held {
    const size = sizeOf(checked(ask));
    if (!size) throw new RangeError(`the plan is more than ${MAX_AMOUNT}`);
    const levels = this.levels();
    const shut = levels.find(({ closed }) => closed);
    if (shut) throw new Error(`${shut.name} is closed`);
    const units = Object.keys(size.total);
    const free = units.find((unit) => !levels.some((level) => level.limits(unit)));
    if (free !== undefined) throw new RangeError(`no budget limits the unit ${free}`);
    const bounds = levels.flatMap((level) => units.map((unit) => level.bound(unit)));
    const denial = denialOf(size, size.children, bounds);
    if (denial) throw deniedBy(denial);
    for (const level of levels) level.move(size.total, 1, null);
    return new Held(size.total, (actual) => {
      for (const level of levels) level.move(size.total, -1, actual);
    });
  }

  /**
   * Holds what is asked, runs the work and settles. What the work leaves open, also by throwing, is settled as it was
   * planned: it may have been used. Work that used nothing says `held.release()`.
   */
  async run<T>(ask: Ask, work: (held: Held) => Promise<T> | T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    signal?.throwIfAborted();
    const held = this.reserve(ask);
    try {
      return await work(held);
    } finally {
      if (held.state === "open") held.settle(held.amounts);
    }
  }

  /** Admits nothing any more, here and in every part; what is open still settles. */
  close(): void {
    this.closed = true;
  }

  figures(unit: string): BudgetFigures {
    const { limit = null, reserved, spent } = this.account(unit);
    const figures = { limit, reserved, spent };
    return { ...figures, limit: limit ?? "unlimited", available: available(figures), overage: overage(figures) };
  }

  /** This one and those above, the narrowest first. */
  private levels(): Budget[] {
    return [this, ...(this.parent?.levels() ?? [])];
  }

  /** Made with the first question for it: a level counts also what it does not limit, and may limit it later. */
  private account(unit: string): Account {
    const account = this.accounts.get(unit) ?? { limit: undefined, reserved: 0, spent: 0 };
    this.accounts.set(unit, account);
    return account;
  }

  private bound(unit: string): Bound {
    const { limit = null, reserved, spent } = this.account(unit);
    return { scope: { kind: "job", id: this.name }, unit, figures: { limit, reserved, spent } };
  }

  private limits(unit: string): boolean {
    return this.account(unit).limit !== undefined;
  }

  private move(held: Amounts, sign: 1 | -1, spent: Amounts | null): void {
    for (const unit of Object.keys(held)) {
      const account = this.account(unit);
      account.reserved += sign * held[unit]!;
      // What was spent is a fact and is never refused, but a figure ends where integers do.
      if (spent) account.spent = Math.min(MAX_AMOUNT, account.spent + spent[unit]!);
    }
  }
}

function checked(ask: Ask): Ask {
  const { amounts, children, attempts } =
    "amounts" in ask ? { ...ask, children: 1, attempts: 1 } : { ...ask, amounts: ask.attemptCost };
  for (const [name, amount] of [["children", children], ["attempts", attempts], ...Object.entries(amounts)] as const) {
    if (!isAmount(amount)) throw new RangeError(`${name} must be a whole number from 0 to ${MAX_AMOUNT}`);
  }
  return ask;
}

function deniedBy({ scope, ...denial }: Denial): Denied {
  return new Denied(scope.id, denial);
}
