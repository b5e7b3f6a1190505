import { ApiProblem } from "./call.js";

/** What is wrong with which field of a request, by its JSON pointer. */
export type FieldErrors = Readonly<Record<string, string>>;

const NONE: FieldErrors = {};

/** Of a refusal that names fields; the first message of each counts. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (!(error instanceof ApiProblem) || !Array.isArray(error.body["errors"])) return NONE;
  const found: Record<string, string> = {};
  for (const one of error.body["errors"] as readonly unknown[]) {
    const { pointer, message } = (one ?? {}) as { pointer?: unknown; message?: unknown };
    if (typeof pointer === "string" && typeof message === "string") found[pointer] ??= message;
  }
  return found;
}

/** A name as a part of a JSON pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
