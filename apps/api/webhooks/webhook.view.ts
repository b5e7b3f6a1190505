import { EVENT_TYPES, PING } from "#libs/webhooks";
import type * as rows from "../../../prisma/generated/client.js";
import { idSchema, INSTANT } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";
import { DELIVERY_STATES } from "./webhook.dto.js";

/** Where events are told. */
export class WebhookView {
  @Shown(TEXT, { example: "billing" })
  name!: string;

  @Shown({ type: "string", format: "uri" })
  url!: string;

  @Shown({ type: "array", items: choice(EVENT_TYPES) })
  events!: string[];

  @Shown({ type: "boolean" })
  enabled!: boolean;

  @MaybeShown(INSTANT, { description: "Until then the secret before the last rotation signs as well." })
  oldSecretUntil?: string;

  @Shown(INSTANT)
  createdAt!: string;

  @Shown(INSTANT)
  updatedAt!: string;
}

export class NewSecretView extends WebhookView {
  @MaybeShown(TEXT, { description: "What signs, from now on: shown this once, when it is made." })
  secret?: string;
}

/** One event for one webhook, and how far it came. */
export class DeliveryView {
  @Shown(idSchema("dlv"))
  id!: string;

  @Shown(idSchema("evt"), { description: "The same for each webhook, each attempt and each resend." })
  eventId!: string;

  @Shown(choice([...EVENT_TYPES, PING]))
  type!: string;

  @Shown(choice(DELIVERY_STATES))
  state!: string;

  @Shown({ type: "integer", minimum: 0 }, { description: "Since it was made or sent again." })
  attempts!: number;

  @Shown(INSTANT)
  createdAt!: string;

  @MaybeShown(INSTANT)
  lastAttemptAt?: string;

  @MaybeShown({ type: "integer" }, { description: "What the receiver answered last." })
  lastStatus?: number;

  @MaybeShown(TEXT, { description: "Why the last attempt failed." })
  lastError?: string;

  @Shown({ type: "object", additionalProperties: true }, { description: "What is sent." })
  event!: object;
}

/** The secret is not part of it. */
export function webhookView(row: Omit<rows.Webhook, "tenantId" | "secret" | "oldSecret">): object {
  const { name, url, events, enabled, oldSecretUntil, createdAt, updatedAt } = row;
  return {
    name,
    url,
    events,
    enabled,
    ...(oldSecretUntil && { oldSecretUntil: oldSecretUntil.toISOString() }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function deliveryView(row: Omit<rows.WebhookDelivery, "lookAt" | "round">): object {
  const { id, eventId, type, state, attempts, createdAt, lastAt, lastStatus, lastError, body } = row;
  return {
    id,
    eventId,
    type,
    state,
    attempts,
    createdAt: createdAt.toISOString(),
    ...(lastAt && { lastAttemptAt: lastAt.toISOString() }),
    ...(lastStatus !== null && { lastStatus }),
    ...(lastError !== null && { lastError }),
    event: JSON.parse(body) as object,
  };
}
