import { Shown, MaybeShown } from "../openapi/shown.js";

export class OperationResult {
  @Shown({ type: "integer" }, { description: "The status that the operation's own route would answer with." })
  status!: number;

  @Shown({ type: "object" }, { description: "The body that the operation's own route would answer with." })
  body!: object;

  @MaybeShown(
    { type: "boolean", const: true },
    { description: "Where this is the first answer to the same request again." },
  )
  replayed?: true;
}

export class BatchView {
  @Shown({ type: [OperationResult] }, { description: "One for each operation, in their order." })
  results!: OperationResult[];
}
