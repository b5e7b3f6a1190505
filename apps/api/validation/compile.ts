import {
  getMetadataStorage,
  ValidationTypes,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from "class-validator";
import type { FieldError } from "#libs/ledger";

export type Dto = new () => object;
export type Validate = (value: unknown) => FieldError[];
type Rule = ReturnType<ReturnType<typeof getMetadataStorage>["getTargetValidationMetadatas"]>[number];
type Fields = Record<string, unknown>;
/** Checks one field of an object and adds what is wrong with it. */
type FieldCheck = (object: Fields, pointer: string, errors: FieldError[]) => void;

/** A constraint that says which part of its value is wrong; its pointers are relative to the value. */
export interface DetailedConstraint extends ValidatorConstraintInterface {
  errorsOf(value: unknown, args: ValidationArguments): FieldError[];
}

/** Enough to correct a request by; a hostile one must not make an answer larger than itself. */
const MOST_ERRORS = 20;
const NESTED = Symbol("nested type");
const compiled = new Map<Dto, Validate>();

/** Tells which class describes a nested object; class-validator itself learns it from instances only. */
export function NestedType(type: () => Dto): PropertyDecorator {
  return (target, name) => Reflect.defineMetadata(NESTED, type, target, name);
}

/**
 * The validator of a DTO class: the constraints that class-validator has registered for it, as closures. It does what
 * `validateSync` with `whitelist` and `forbidNonWhitelisted` does, but takes plain JSON, points into it, reports the
 * first fault of a field only, and looks up all metadata once.
 */
export function validatorOf(type: Dto): Validate {
  let validate = compiled.get(type);
  if (!validate) {
    const check = compile(type);
    validate = (value) => {
      const errors: FieldError[] = [];
      check(value, "", errors);
      return errors.length > MOST_ERRORS ? errors.slice(0, MOST_ERRORS) : errors;
    };
    compiled.set(type, validate);
  }
  return validate;
}

function compile(type: Dto): (value: unknown, pointer: string, errors: FieldError[]) => void {
  const storage = getMetadataStorage();
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, "", false, false));
  const fields = Object.entries(rules).map(([name, own]) => compileField(type, name, own));
  const known = new Set(Object.keys(rules));
  return (value, pointer, errors) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      errors.push({ pointer, message: "must be an object" });
      return;
    }
    for (const name of Object.keys(value)) {
      if (known.has(name)) continue;
      if (errors.length >= MOST_ERRORS) return;
      errors.push({ pointer: `${pointer}/${escapePointer(name)}`, message: "is not a known field" });
    }
    for (const check of fields) check(value as Fields, pointer, errors);
  };
}

function compileField(type: Dto, name: string, rules: readonly Rule[]): FieldCheck {
  const ofType = (wanted: string) => rules.filter((rule) => rule.type === wanted);
  const conditions = ofType(ValidationTypes.CONDITIONAL_VALIDATION).map((rule) => rule.constraints[0] as Condition);
  const checks = ofType(ValidationTypes.CUSTOM_VALIDATION).flatMap((rule) => compileRule(type, rule));
  const nested = ofType(ValidationTypes.NESTED_VALIDATION).length > 0 ? nestedCheck(type, name) : undefined;
  return (object, pointer, errors) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    for (const condition of conditions) if (!condition(object, value)) return;
    const at = `${pointer}/${name}`;
    for (const check of checks) {
      const found = check(object, value);
      if (!found) continue;
      for (const error of found.slice(0, MOST_ERRORS)) errors.push({ ...error, pointer: at + error.pointer });
      return;
    }
    if (nested && value !== undefined) nested(value, at, errors);
  };
}

type Condition = (object: unknown, value: unknown) => boolean;
type RuleCheck = (object: Fields, value: unknown) => readonly FieldError[] | undefined;

function compileRule(type: Dto, rule: Rule): RuleCheck[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .map(({ instance }) => {
      const detailed = instance as Partial<DetailedConstraint>;
      return (object, value) => {
        if (rule.validateIf && !rule.validateIf(object, value)) return undefined;
        const { propertyName: property, constraints } = rule;
        const args: ValidationArguments = { value, constraints, targetName: type.name, object, property };
        const holds = (each: unknown) => instance.validate(each, args) === true;
        if (rule.each && Array.isArray(value) ? value.every(holds) : holds(value)) return undefined;
        return detailed.errorsOf?.(value, args) ?? [{ pointer: "", message: messageOf(rule, instance, args) }];
      };
    });
}

/** Compiled at its first use, so that classes may nest themselves. */
function nestedCheck(type: Dto, name: string) {
  const nestedType = Reflect.getMetadata(NESTED, type.prototype as object, name) as (() => Dto) | undefined;
  if (!nestedType) throw new Error(`${type.name}.${name} is nested without a @NestedType`);
  let check: ReturnType<typeof compile> | undefined;
  return (value: unknown, pointer: string, errors: FieldError[]): void => {
    check ??= compile(nestedType());
    if (Array.isArray(value)) value.forEach((item, i) => check!(item, `${pointer}/${i}`, errors));
    else check(value, pointer, errors);
  };
}

function messageOf(rule: Rule, instance: ValidatorConstraintInterface, args: ValidationArguments): string {
  const given = rule.message || instance.defaultMessage?.(args) || "is not valid";
  const message = typeof given === "function" ? given(args) : given;
  return message
    .replace(/^\$property /, "")
    .replace(/\$property/g, args.property)
    .replace(/\$constraint(\d+)/g, (_, n: string) => String(args.constraints[Number(n) - 1]));
}

/** RFC 6901. */
export function escapePointer(name: string): string {
  return name.replace(/~/g, "~0").replace(/\//g, "~1");
}
