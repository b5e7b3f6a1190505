import { ValidatorConstraint, type ValidationArguments } from "class-validator";
import type { FieldError } from "#libs/ledger";
import { escapePointer, type DetailedConstraint } from "./compile.js";

/** No control characters (PostgreSQL cannot store NUL, and no name needs the others), no half of a surrogate pair. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;

const MOST_LABELS = 32;
const LABEL_NAME = { min: 1, max: 100 };
const LABEL_VALUE = { min: 0, max: 500 };

/** Text of so many characters, where a character is a code point. */
export function isText(value: unknown, { min, max }: { min: number; max: number }): value is string {
  if (typeof value !== "string" || value.length < min || value.length > 2 * max || !PRINTABLE.test(value)) return false;
  return value.length <= max || [...value].length <= max;
}

export function textRule({ min, max }: { min: number; max: number }): string {
  return `must be text of ${min} to ${max} characters without control characters`;
}

const USER_LENGTH = { min: 1, max: 200 };

/**
 * The name of a user, by the tenant. It stands in paths, where clients resolve "." and ".." before they send: such a name
 * would lead the operator's call elsewhere.
 */
export function isUserName(value: unknown): value is string {
  return isText(value, USER_LENGTH) && value !== "." && value !== "..";
}

export const USER_RULE = `${textRule(USER_LENGTH)}, and not "." or ".."`;
export const USER_SCHEMA = { type: "string", minLength: USER_LENGTH.min, maxLength: USER_LENGTH.max } as const;

/** Labels: up to 32 short texts by name. */
@ValidatorConstraint({ name: "labels" })
export class LabelsConstraint implements DetailedConstraint {
  validate(value: unknown, args: ValidationArguments): boolean {
    return this.errorsOf(value, args).length === 0;
  }

  errorsOf(value: unknown, _args: ValidationArguments): FieldError[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return [{ pointer: "", message: "must be an object of texts" }];
    }
    const labels = Object.entries(value as Record<string, unknown>);
    if (labels.length > MOST_LABELS) return [{ pointer: "", message: `must have at most ${MOST_LABELS} labels` }];
    const errors: FieldError[] = [];
    for (const [name, text] of labels) {
      const pointer = `/${escapePointer(name)}`;
      if (!isText(name, LABEL_NAME)) errors.push({ pointer, message: `as a name ${textRule(LABEL_NAME)}` });
      else if (!isText(text, LABEL_VALUE)) errors.push({ pointer, message: textRule(LABEL_VALUE) });
    }
    return errors;
  }
}
