import { AMOUNT, idSchema, INSTANT, LIMIT, SCOPE, WINDOW } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";

export const ENTRY_TYPES = [
  "reserve",
  "charge",
  "settle",
  "release",
  "expire",
  "grant",
  "return",
  "limit",
  "settings",
] as const;
const SCOPE_IN_WINDOW = {
  ...SCOPE,
  properties: { ...SCOPE.properties, window: WINDOW },
  required: ["kind", "id", "window"],
};
const SETTINGS = { type: "object", additionalProperties: true };
const COUNT = { type: "integer", minimum: 1 };
const MOVEMENT = { ...AMOUNT, minimum: -AMOUNT.maximum };

/** One movement of one unit, the same at every scope that it names; or a change of what is set, which moves nothing. */
export class EntryView {
  @Shown(TEXT, {
    description: "Sequence number, as text: entries of a tenant are in the order in which they were committed.",
  })
  id!: string;

  @Shown(choice(ENTRY_TYPES))
  type!: string;

  @Shown(INSTANT)
  at!: string;

  @MaybeShown(TEXT, { example: "tokens", description: "Of every type but `settings`." })
  unit?: string;

  @Shown(MOVEMENT, { description: "Added to what is held; negative when given back." })
  reserved!: number;

  @Shown(AMOUNT, { description: "Added to what is spent." })
  spent!: number;

  @Shown({ type: "array", items: SCOPE_IN_WINDOW })
  scopes!: object[];

  @MaybeShown(idSchema("rsv"))
  reservationId?: string;

  @MaybeShown(idSchema("job"))
  jobId?: string;

  @MaybeShown(TEXT)
  user?: string;

  @MaybeShown(
    {
      type: "object",
      properties: {
        late: { type: "boolean", const: true },
        child: COUNT,
        attempt: COUNT,
        tenantId: idSchema("ten"),
        childJobId: idSchema("job"),
        scope: SCOPE,
        from: LIMIT,
        to: LIMIT,
        service: { type: "string" },
        before: SETTINGS,
        after: SETTINGS,
        actor: { type: "string" },
        reason: { type: "string" },
      },
      additionalProperties: false,
    },
    {
      description:
        "Of what came after the deadline: that it was late. Of a charge: of which attempt of which child. In the ledger of " +
        "a service: whose work it was. Of a grant that was taken from a job, or came back to it: which child job's. Of a " +
        "change of a limit: who changed it, from what, to what, why; of `settings`, the same of all else that bounds calls " +
        "to a service, as it was given: without `before` nothing was set, without `after` nothing is.",
    },
  )
  detail?: object;
}
