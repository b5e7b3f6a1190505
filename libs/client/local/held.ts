import { MAX_AMOUNT, type Amounts } from "#libs/plan";

/** An amount that is held until it is settled or released: exactly one of them, once. */
export class Held {
  state: "open" | "settled" | "released" = "open";
  private actual: Amounts | null = null;

  constructor(
    readonly amounts: Amounts,
    private readonly end: (actual: Amounts | null) => void,
  ) {}

  /**
   * Closes it with what was used; the rest is free again, and what is more is booked all the same. The same again changes
   * nothing.
   * @throws RangeError where `actual` does not name the held units and no others, or not as whole numbers
   * @throws Error where it was closed otherwise
   */
  settle(actual: Amounts): void {
    const units = new Set([...Object.keys(this.amounts), ...Object.keys(actual)]);
    for (const unit of units) {
      if (!Object.hasOwn(this.amounts, unit)) throw new RangeError(`${unit} was not held`);
      if (!Object.hasOwn(actual, unit) || !isAmount(actual[unit])) {
        throw new RangeError(`the actual ${unit} must be a whole number from 0 to ${MAX_AMOUNT}`);
      }
    }
    if (this.state === "settled" && [...units].every((unit) => this.actual![unit] === actual[unit])) return;
    this.close("settled", { ...actual });
  }

  /** Closes it unused. The same again changes nothing. @throws Error where it was settled */
  release(): void {
    if (this.state !== "released") this.close("released", null);
  }

  private close(state: "settled" | "released", actual: Amounts | null): void {
    if (this.state !== "open") throw new Error(`it was ${this.state} already`);
    this.state = state;
    this.actual = actual;
    this.end(actual);
  }
}

/** Nothing is coerced: a whole number that is exact, 0 or more, and not minus zero. */
export function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
}
