import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn } from "class-validator";
import { EVENT_TYPES, MOST_URL_LENGTH, type EventType } from "#libs/webhooks";
import { PageQuery } from "../lists/page.js";
import { choice, Shown } from "../openapi/shown.js";
import { BooleanField, ChoiceField, IntegerField, PatternField } from "../validation/fields.js";

const EVENTS_RULE = `must be an array of different ones of ${EVENT_TYPES.join(", ")}`;
const DAY_MS = 86_400_000;

export class WebhookBody {
  @PatternField(
    new RegExp(`^https?://[\\x21-\\x7e]{1,${MOST_URL_LENGTH - 8}}$`),
    "must be a URL that begins with https://",
    {
      schema: {
        type: "string",
        format: "uri",
        maxLength: MOST_URL_LENGTH,
        example: "https://hooks.example.com/holdfast",
      },
      description:
        "Each event is sent there by POST. Private addresses and http are refused unless a setting allows them.",
    },
  )
  url!: string;

  @IsArray({ message: EVENTS_RULE })
  @ArrayMinSize(1, { message: EVENTS_RULE })
  @ArrayMaxSize(EVENT_TYPES.length, { message: EVENTS_RULE })
  @ArrayUnique({ message: EVENTS_RULE })
  @IsIn([...EVENT_TYPES], { each: true, message: EVENTS_RULE })
  @Shown({ type: "array", items: choice(EVENT_TYPES), minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true })
  events!: EventType[];

  @BooleanField({
    optional: true,
    description: "By default true. False: nothing more is told, and what was not delivered yet waits.",
  })
  enabled?: boolean;
}

export class RotateBody {
  @IntegerField({
    min: 0,
    max: 7 * DAY_MS,
    optional: true,
    description: "How long the secret before signs as well; by default a day.",
  })
  overlapMs?: number;
}

export const DEFAULT_OVERLAP_MS = DAY_MS;

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

export class DeliveriesQuery extends PageQuery {
  @ChoiceField(DELIVERY_STATES, { optional: true })
  state?: (typeof DELIVERY_STATES)[number];
}
