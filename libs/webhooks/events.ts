/** What a webhook may be told. */
export const EVENT_TYPES = ["allowance.threshold", "allowance.denied", "breaker.changed", "audit.drift"] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Sent by hand, to whatever a webhook subscribes. */
export const PING = "webhook.ping";

/** The tenant_id of the operator's own webhooks, which are told of every tenant. */
export const OPERATOR = "";

export interface EventHead {
  /** `evt_…`: the same for each attempt, each resend and each webhook, so that a receiver can drop what it knows. */
  readonly id: string;
  readonly type: EventType | typeof PING;
  readonly createdAt: Date;
  /** null: of no one tenant. */
  readonly tenantId: string | null;
}

/** The body as it is sent, byte for byte, as often as it is sent. */
export function eventBody({ id, type, createdAt, tenantId }: EventHead, data: object): string {
  return JSON.stringify({ id, type, createdAt: createdAt.toISOString(), tenantId, data });
}
