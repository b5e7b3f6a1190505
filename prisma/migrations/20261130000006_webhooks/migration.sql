-- Where events are told. A tenant_id of '' is the operator's own.
CREATE TABLE "webhooks" (
  "tenant_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "events" TEXT[] NOT NULL,
  "enabled" BOOLEAN NOT NULL,
  "secret" TEXT NOT NULL,
  "old_secret" TEXT,
  "old_secret_until" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "webhooks_pkey" PRIMARY KEY ("tenant_id", "name")
);

-- The outbox: a row stands here as soon as its event is known, and BullMQ is told of it afterwards. "look_at" is when to
-- look whether the queue has lost it; "round" is one more with each resend, "attempts" counts those of the round.
CREATE TABLE "webhook_deliveries" (
  "tenant_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "webhook" TEXT NOT NULL,
  "event_id" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "round" INTEGER NOT NULL DEFAULT 1,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "look_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "last_at" TIMESTAMPTZ(3),
  "last_status" INTEGER,
  "last_error" TEXT,
  CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("tenant_id", "id"),
  CONSTRAINT "webhook_deliveries_state" CHECK ("state" IN ('pending', 'delivered', 'failed'))
) WITH (fillfactor = 80);
CREATE INDEX "webhook_deliveries_tenant_id_webhook_seq_idx" ON "webhook_deliveries" ("tenant_id", "webhook", "seq");
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" ("tenant_id", "webhook", "look_at") WHERE "state" = 'pending';
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries" USING brin ("created_at");

-- What was told last, by subject; written in the transaction that adds the deliveries.
CREATE TABLE "webhook_told" (
  "tenant_id" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  CONSTRAINT "webhook_told_pkey" PRIMARY KEY ("tenant_id", "subject")
);

-- Denials since they were last told, counted by the processes that denied. A scope_id of '' is many scopes together.
CREATE TABLE "webhook_denials" (
  "tenant_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "scope_id" TEXT NOT NULL,
  "unit" TEXT NOT NULL,
  "count" BIGINT NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  "last" JSON NOT NULL,
  CONSTRAINT "webhook_denials_pkey" PRIMARY KEY ("tenant_id", "kind", "scope_id", "unit")
) WITH (fillfactor = 50);

-- What is compared with the thresholds. Its columns never change, so that updates of a balance stay in their page.
CREATE INDEX "balances_standing_idx" ON "balances" ("tenant_id") WHERE "kind" <> 'job';
