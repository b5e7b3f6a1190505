import { ApiProperty } from "@nestjs/swagger";

/** A field of an answer, by its schema. Classes of answers exist for OpenAPI only; answers themselves are plain objects. */
export function Shown(schema: object, more: object = {}): PropertyDecorator {
  // What an object must have is a list under the same name as whether the field itself must be there.
  const itself: object = "required" in schema && Array.isArray(schema.required) ? { selfRequired: true } : {};
  return ApiProperty({ ...schema, ...itself, ...more });
}

/** A field that is left out where it says nothing. */
export function MaybeShown(schema: object, more: object = {}): PropertyDecorator {
  return Shown(schema, { ...more, required: false });
}

export const TEXT = { type: "string" };

export function choice(values: readonly string[]) {
  return { type: "string", enum: [...values] };
}
