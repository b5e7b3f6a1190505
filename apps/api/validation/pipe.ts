import { Body, Query, type ArgumentMetadata, type PipeTransform } from "@nestjs/common";
import { ApiBody } from "@nestjs/swagger";
import { invalid } from "../problems/problem.js";
import { AcceptsQuery } from "./query.js";
import { validatorOf, type Dto, type Validate } from "./compile.js";

/** Lets through what the class of the parameter describes, as it came: nothing is coerced. */
class DtoPipe implements PipeTransform {
  private validate: Validate | undefined;

  constructor(private readonly whenAbsent?: object) {}

  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    const given = value ?? this.whenAbsent;
    this.validate ??= validatorOf(metatype as Dto);
    const errors = this.validate(given);
    if (errors.length > 0) throw invalid(errors);
    return given;
  }
}

/** The request's body. */
export function Payload(): ParameterDecorator {
  return Body(new DtoPipe());
}

/** The request's body, or none at all. */
export function OptionalPayload(): ParameterDecorator {
  return (target, name, index) => {
    Body(new DtoPipe({}))(target, name, index);
    const types = Reflect.getMetadata("design:paramtypes", target, name!) as Dto[];
    ApiBody({ type: types[index]!, required: false })(target, name!, Object.getOwnPropertyDescriptor(target, name!)!);
  };
}

/** The body of routes that say all by their path: nothing, or an empty object. */
export class NoFields {}

/** The request's query parameters, as text. */
export function Filters(): ParameterDecorator {
  return (target, name, index) => {
    Query(new DtoPipe({}))(target, name, index);
    AcceptsQuery(target, name!);
  };
}
