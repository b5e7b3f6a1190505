import { IntersectionType } from "@nestjs/swagger";
import { PROBLEM_CODES } from "../problems/table.js";
import { AMOUNT, LIMIT, SCOPE } from "./schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "./shown.js";

/** What is wrong with one field of a request. */
export class FieldErrorView {
  @Shown(TEXT, {
    description: "JSON pointer (RFC 6901) into the request; empty for the whole body.",
    example: "/plan/children",
  })
  pointer!: string;

  @Shown(TEXT, { example: "must be an integer from 1 to 9007199254740991" })
  message!: string;
}

/** A refusal: RFC 9457, with the code that programs act on. */
export class ProblemView {
  @Shown(TEXT, { format: "uri-reference", example: "/docs/errors#validation_failed" })
  type!: string;

  @Shown(TEXT, { description: "The same for every occurrence of the code." })
  title!: string;

  @Shown({ type: "integer" })
  status!: number;

  @Shown(TEXT, { description: "One sentence for a person." })
  detail!: string;

  @Shown(TEXT, { format: "uri-reference", description: "The path of the request." })
  instance!: string;

  @Shown(choice(PROBLEM_CODES))
  code!: string;

  @Shown({ type: "boolean" }, { description: "True where the same request, unchanged, may succeed later." })
  retryable!: boolean;

  @MaybeShown(
    { type: "integer", minimum: 1 },
    { description: "Whole seconds to wait; the same as the header Retry-After." },
  )
  retryAfter?: number;

  @MaybeShown({ type: [FieldErrorView] })
  errors?: FieldErrorView[];
}

/** The figures of the scope that refused, at the moment of the refusal. */
export class DenialFiguresView {
  @Shown(SCOPE)
  scope!: object;

  @Shown(TEXT, { example: "tokens" })
  unit!: string;

  @Shown(LIMIT)
  limit!: number | "unlimited";

  @Shown(AMOUNT)
  spent!: number;

  @Shown(AMOUNT)
  reserved!: number;

  @Shown(AMOUNT)
  available!: number;

  @Shown(AMOUNT)
  requested!: number;

  @MaybeShown(AMOUNT, { description: "For a plan: the largest number of children that would fit now." })
  maxChildren?: number;
}

/** A refusal for lack of allowance: the problem and the figures, in one flat object. */
export class DenialProblemView extends IntersectionType(ProblemView, DenialFiguresView) {}

/** A refusal of flow control. */
export class ShedProblemView extends ProblemView {
  @MaybeShown(
    {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["service", "tenant", "job", "reservation"] },
        id: { type: "string" },
      },
      required: ["kind", "id"],
    },
    { description: "What refused: `tenant` is the tenant at the service." },
  )
  scope?: object;
}
