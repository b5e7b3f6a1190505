import { ValidatorConstraint, type ValidationArguments } from "class-validator";
import { MAX_AMOUNT, type FieldError } from "#libs/ledger";
import { escapePointer, validatorOf, type DetailedConstraint, type Dto } from "./compile.js";

export const UNIT = /^[a-z][a-z0-9_]{0,31}$/;
export const MOST_UNITS = 16;
const AMOUNT_RULE = `must be an integer from 0 to ${MAX_AMOUNT}`;
const UNIT_RULE = "is not a unit: a unit matches ^[a-z][a-z0-9_]{0,31}$";

/** An integer in a range. JSON has a minus zero, which is no amount of anything. */
export function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max && !Object.is(value, -0);
}

/** What the values of a map by unit must be. */
interface UnitMap {
  readonly fewest: 0 | 1;
  /** Adds what is wrong with one value. */
  check(value: unknown): FieldError[];
}

export function amountsBy(fewest: 0 | 1, nullable: boolean): UnitMap {
  const message = nullable ? `${AMOUNT_RULE}, or null` : AMOUNT_RULE;
  const wrong = [{ pointer: "", message }];
  return {
    fewest,
    check: (value) => ((nullable && value === null) || isInteger(value, 0, MAX_AMOUNT) ? [] : wrong),
  };
}

export function objectsBy(fewest: 0 | 1, type: () => Dto): UnitMap {
  return { fewest, check: (value) => validatorOf(type())(value) };
}

/** A map from units to values, described by the first argument of the constraint. */
@ValidatorConstraint({ name: "unitMap" })
export class UnitMapConstraint implements DetailedConstraint {
  validate(value: unknown, args: ValidationArguments): boolean {
    return this.errorsOf(value, args).length === 0;
  }

  errorsOf(value: unknown, { constraints }: ValidationArguments): FieldError[] {
    const { fewest, check } = constraints[0] as UnitMap;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return [{ pointer: "", message: "must be an object of units" }];
    }
    const units = Object.keys(value);
    if (units.length < fewest || units.length > MOST_UNITS) {
      return [{ pointer: "", message: `must have ${fewest} to ${MOST_UNITS} units` }];
    }
    const errors: FieldError[] = [];
    for (const unit of units) {
      const at = `/${escapePointer(unit)}`;
      if (!UNIT.test(unit)) errors.push({ pointer: at, message: UNIT_RULE });
      else
        for (const error of check((value as Record<string, unknown>)[unit])) {
          errors.push({ ...error, pointer: at + error.pointer });
        }
    }
    return errors;
  }
}
