-- Denials of the same kind within a minute are one row: how many, when, and what the last of them rested on. A scope_id of ''
-- is many scopes together, a job_id of '' many jobs, a service of '' none. "ledger_seq" is how far the ledger was when the
-- last of them was written: its movements before the denial stand at or below.
CREATE TABLE "denials" (
  "tenant_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "minute" TIMESTAMPTZ(3) NOT NULL,
  "kind" TEXT NOT NULL,
  "scope_id" TEXT NOT NULL,
  "unit" TEXT NOT NULL,
  "code" TEXT NOT NULL,
  "service" TEXT NOT NULL,
  "job_id" TEXT NOT NULL,
  "observed" BOOLEAN NOT NULL,
  "count" BIGINT NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  "last" JSON NOT NULL,
  "ledger_seq" BIGINT NOT NULL,
  CONSTRAINT "denials_pkey" PRIMARY KEY ("tenant_id", "id"),
  CONSTRAINT "denials_alike_key" UNIQUE ("tenant_id", "minute", "kind", "scope_id", "unit", "code", "service", "job_id", "observed")
) WITH (fillfactor = 70);
CREATE INDEX "denials_minute_idx" ON "denials" USING brin ("minute");
