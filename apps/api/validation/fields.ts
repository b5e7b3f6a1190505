import { applyDecorators } from "@nestjs/common";
import { ApiProperty } from "@nestjs/swagger";
import { IsBoolean, IsIn, IsObject, Validate, ValidateBy, ValidateIf, ValidateNested } from "class-validator";
import { isTimeZone, MAX_AMOUNT } from "#libs/ledger";
import { AMOUNT, LABELS, LIMIT, unitMapSchema } from "../openapi/schemas.js";
import { amountsBy, isInteger, MOST_UNITS, objectsBy, UNIT, UnitMapConstraint } from "./amounts.js";
import { NestedType, type Dto } from "./compile.js";
import { isText, LabelsConstraint, textRule, isUserName, USER_RULE, USER_SCHEMA } from "./text.js";

/** One decorator a kind of field: its rule, its place in OpenAPI, and whether it may be left out. null is never absence. */

interface FieldOptions {
  readonly optional?: boolean;
  /** Required only where that other field is not there. */
  readonly unless?: string;
  /** Required where that other field is there, and refused where it is not. */
  readonly onlyWith?: string;
  readonly description?: string;
  readonly example?: unknown;
}

function field(options: FieldOptions, schema: object, ...rules: PropertyDecorator[]): PropertyDecorator {
  const { optional = false, unless, onlyWith, ...shown } = options;
  const has = (object: Fields, name: string | undefined) => name !== undefined && object[name] !== undefined;
  const mayBeAbsent = (object: Fields) =>
    optional || has(object, unless) || (onlyWith !== undefined && !has(object, onlyWith));
  const required = !optional && unless === undefined && onlyWith === undefined;
  const needed = onlyWith === undefined ? "is required" : `is required with ${onlyWith}`;
  return applyDecorators(
    ValidateIf((object: Fields, value) => value !== undefined || !mayBeAbsent(object)),
    rule("isPresent", (value) => value !== undefined, unless === undefined ? needed : `is required, or ${unless}`),
    ...(onlyWith === undefined ? [] : [OnlyTogetherWith(onlyWith)]),
    ...rules,
    ApiProperty({ ...schema, ...shown, required }),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function rule(name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
}

export function AmountField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerField({ min: 0, max: MAX_AMOUNT, ...options });
}

export function IntegerField({ min, max, ...options }: FieldOptions & { min: number; max: number }): PropertyDecorator {
  const message = `must be an integer from ${min} to ${max}`;
  const schema = { type: "integer", minimum: min, maximum: max };
  return field(
    options,
    schema,
    rule("isIntegerFromTo", (value) => isInteger(value, min, max), message),
  );
}

/** A number with up to three decimal places. */
export function DecimalField({ min, max, ...options }: FieldOptions & { min: number; max: number }): PropertyDecorator {
  const message = `must be a number from ${min} to ${max} with up to three decimal places`;
  const isDecimal = (value: unknown): boolean =>
    typeof value === "number" &&
    value >= min &&
    value <= max &&
    !Object.is(value, -0) &&
    value === Number(value.toFixed(3));
  return field(options, { type: "number", minimum: min, maximum: max }, rule("isDecimal", isDecimal, message));
}

/** A change of an amount: an integer that is not 0. */
export function DeltaField(options: FieldOptions = {}): PropertyDecorator {
  const message = `must be an integer from ${-MAX_AMOUNT} to ${MAX_AMOUNT}, and not 0`;
  const isDelta = (value: unknown): boolean => isInteger(value, -MAX_AMOUNT, MAX_AMOUNT) && value !== 0;
  const schema = { type: "integer", minimum: -MAX_AMOUNT, maximum: MAX_AMOUNT, not: { const: 0 } };
  return field(options, schema, rule("isDelta", isDelta, message));
}

/** Unit → amount. `nullable`: null takes a unit away. `fewest`: 0 where an empty map says something. */
export function AmountsField({
  nullable = false,
  fewest = 1,
  ...options
}: FieldOptions & { nullable?: boolean; fewest?: 0 | 1 } = {}): PropertyDecorator {
  const amount = nullable ? { ...AMOUNT, type: ["integer", "null"] } : AMOUNT;
  return field(options, boundedMap(amount, fewest), Validate(UnitMapConstraint, [amountsBy(fewest, nullable)]));
}

/** Unit → an object of the class. */
export function ObjectsByUnitField(type: () => Dto, schema: object, options: FieldOptions = {}): PropertyDecorator {
  return field(options, boundedMap(schema, 0), Validate(UnitMapConstraint, [objectsBy(0, type)]));
}

function boundedMap(value: object, fewest: 0 | 1): object {
  return { ...unitMapSchema(value), ...(fewest > 0 && { minProperties: fewest }), maxProperties: MOST_UNITS };
}

export function LimitField(options: FieldOptions = {}): PropertyDecorator {
  const isLimit = (value: unknown): boolean => value === "unlimited" || isInteger(value, 0, MAX_AMOUNT);
  return field(options, LIMIT, rule("isLimit", isLimit, `must be an integer from 0 to ${MAX_AMOUNT}, or "unlimited"`));
}

export function TextField({ max, ...options }: FieldOptions & { max: number }): PropertyDecorator {
  const bounds = { min: 1, max };
  const schema = { type: "string", minLength: 1, maxLength: max };
  return field(
    options,
    schema,
    rule("isPlainText", (value) => isText(value, bounds), textRule(bounds)),
  );
}

export function UserField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, USER_SCHEMA, rule("isUserName", isUserName, USER_RULE));
}

export function LabelsField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, LABELS, Validate(LabelsConstraint));
}

export function ChoiceField(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const message = `must be one of ${values.join(", ")}`;
  return field(options, { type: "string", enum: [...values] }, IsIn([...values], { message }));
}

export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: "boolean" }, IsBoolean({ message: "must be true or false" }));
}

export function TimeZoneField(options: FieldOptions = {}): PropertyDecorator {
  const isZone = (value: unknown): boolean => isText(value, { min: 1, max: 100 }) && isTimeZone(value);
  const schema = { type: "string", example: "Europe/Berlin" };
  return field(options, schema, rule("isZone", isZone, "must be the name of an IANA time zone"));
}

export function UnitField(options: FieldOptions = {}): PropertyDecorator {
  const isUnit = (value: unknown): boolean => typeof value === "string" && UNIT.test(value);
  return field(options, { type: "string", pattern: UNIT.source }, rule("isUnit", isUnit, `must match ${UNIT.source}`));
}

export function PatternField(
  pattern: RegExp,
  message: string,
  options: FieldOptions & { schema?: object } = {},
): PropertyDecorator {
  const { schema = { type: "string", pattern: pattern.source }, ...others } = options;
  const matches = (value: unknown): boolean => typeof value === "string" && pattern.test(value);
  return field(others, schema, rule("matchesPattern", matches, message));
}

export function NestedField(type: () => Dto, options: FieldOptions = {}): PropertyDecorator {
  // An array of valid objects would pass @ValidateNested, so it is told apart first.
  const isObject = IsObject({ message: "must be an object" });
  // OpenAPI tells a lazy type from a class by the name of the function, which must be "type".
  return applyDecorators(NestedType(type), field(options, { type: () => type() }, isObject, ValidateNested()));
}

function OnlyTogetherWith(other: string): PropertyDecorator {
  return ValidateBy({
    name: "onlyTogether",
    validator: {
      validate: (_, args) => (args?.object as Fields | undefined)?.[other] !== undefined,
      defaultMessage: () => `must come together with ${other}`,
    },
  });
}

/** Refuses a field that comes together with that other one. */
export function NotTogetherWith(other: string): PropertyDecorator {
  return ValidateBy({
    name: "notTogether",
    validator: {
      validate: (_, args) => (args?.object as Fields | undefined)?.[other] === undefined,
      defaultMessage: () => `must not come together with ${other}`,
    },
  });
}
