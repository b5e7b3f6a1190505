-- The record of Holdfast. Every table that belongs to a tenant has a primary key that begins with it, so that the
-- record can be distributed by tenant. There are no foreign keys: all rows of a tenant are written under the lock of
-- its row in "tenants", and a check per insert would double the cost of a reservation.

-- The one time source of the ledger, whole milliseconds. Every statement takes the time from here, never from a process.
CREATE FUNCTION holdfast_now() RETURNS timestamptz
  LANGUAGE sql VOLATILE AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$;

-- The belt: a batch whose row count is off must not commit, whatever the rules decided.
CREATE FUNCTION holdfast_belt(expected bigint, actual bigint, what text) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF expected <> actual THEN
    RAISE EXCEPTION 'holdfast belt: % rows of % were expected, % were written', expected, what, actual
      USING ERRCODE = 'HF001';
  END IF;
  RETURN true;
END $$;

CREATE TABLE "tenants" (
  "id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "name" TEXT NOT NULL,
  "enforcement" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "config_version" BIGINT NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "deleted_at" TIMESTAMPTZ(3),
  CONSTRAINT "tenants_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "tenants_enforcement" CHECK ("enforcement" IN ('enforce', 'observe')),
  CONSTRAINT "tenants_state" CHECK ("state" IN ('active', 'suspended', 'deleted'))
);
CREATE UNIQUE INDEX "tenants_seq_key" ON "tenants" ("seq");

CREATE TABLE "api_keys" (
  "tenant_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "name" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "api_keys_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE INDEX "api_keys_tenant_id_seq_idx" ON "api_keys" ("tenant_id", "seq");

-- What was set: limits by scope and unit. An empty scope_id is the default of its kind (user, job).
CREATE TABLE "allowances" (
  "tenant_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "scope_id" TEXT NOT NULL,
  "unit" TEXT NOT NULL,
  "limit_amount" BIGINT,
  "period" TEXT,
  "time_zone" TEXT,
  CONSTRAINT "allowances_pkey" PRIMARY KEY ("tenant_id", "kind", "scope_id", "unit"),
  CONSTRAINT "allowances_limit" CHECK ("limit_amount" BETWEEN 0 AND 9007199254740991)
);

-- What binds: one row for each scope, unit and period window. The version grows with every change, so that a copy of a
-- row can never replace a newer one.
CREATE TABLE "balances" (
  "tenant_id" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "scope_id" TEXT NOT NULL,
  "unit" TEXT NOT NULL,
  "window" TEXT NOT NULL,
  "limit_amount" BIGINT,
  "reserved" BIGINT NOT NULL,
  "spent" BIGINT NOT NULL,
  "version" BIGINT NOT NULL,
  CONSTRAINT "balances_pkey" PRIMARY KEY ("tenant_id", "key"),
  CONSTRAINT "balances_amounts" CHECK ("reserved" >= 0 AND "spent" >= 0 AND "limit_amount" >= 0)
) WITH (fillfactor = 50);

CREATE TABLE "jobs" (
  "tenant_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "user_name" TEXT,
  "name" TEXT,
  "labels" JSONB NOT NULL,
  "allowance" JSON NOT NULL,
  "state" TEXT NOT NULL,
  "parent_id" TEXT,
  "depth" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "closed_at" TIMESTAMPTZ(3),
  CONSTRAINT "jobs_pkey" PRIMARY KEY ("tenant_id", "id"),
  CONSTRAINT "jobs_state" CHECK ("state" IN ('open', 'closed', 'cancelled'))
) WITH (fillfactor = 80);
CREATE INDEX "jobs_tenant_id_seq_idx" ON "jobs" ("tenant_id", "seq");

-- JSON, not JSONB: kept as it was answered, and never searched.
CREATE TABLE "reservations" (
  "tenant_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "job_id" TEXT NOT NULL,
  "user_name" TEXT,
  "state" TEXT NOT NULL,
  "reserved" JSON NOT NULL,
  "plan" JSON,
  "keys" TEXT[] NOT NULL,
  "actual" JSON,
  "late" BOOLEAN NOT NULL DEFAULT false,
  "would_deny" JSON,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "closed_at" TIMESTAMPTZ(3),
  CONSTRAINT "reservations_pkey" PRIMARY KEY ("tenant_id", "id"),
  CONSTRAINT "reservations_state" CHECK ("state" IN ('open', 'settled', 'released', 'expired'))
) WITH (fillfactor = 50);
CREATE INDEX "reservations_tenant_id_job_id_seq_idx" ON "reservations" ("tenant_id", "job_id", "seq");
-- What the sweep reads: only what is open.
CREATE INDEX "reservations_overdue_idx" ON "reservations" ("expires_at") WHERE "state" = 'open';

-- Every change of a balance, in the order in which it was committed within its tenant. "keys" names the balances that
-- moved; "reserved" and "spent" are the movements.
CREATE TABLE "ledger_entries" (
  "tenant_id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "type" TEXT NOT NULL,
  "unit" TEXT NOT NULL,
  "reserved" BIGINT NOT NULL,
  "spent" BIGINT NOT NULL,
  "keys" TEXT[] NOT NULL,
  "reservation_id" TEXT,
  "job_id" TEXT,
  "user_name" TEXT,
  "detail" JSON,
  CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("tenant_id", "seq")
);

CREATE TABLE "idempotency_keys" (
  "tenant_id" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "fingerprint" TEXT NOT NULL,
  "answer" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id", "key")
);
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys" USING brin ("created_at");

-- The operator's own rows: not of any tenant.
CREATE TABLE "operator_keys" (
  "id" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "operator_keys_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "reconcile_runs" (
  "id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "task" TEXT NOT NULL,
  "trigger" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  "outcome" TEXT NOT NULL,
  "handled" INTEGER NOT NULL,
  "failed" INTEGER NOT NULL,
  "detail" JSON,
  CONSTRAINT "reconcile_runs_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "reconcile_runs_seq_key" ON "reconcile_runs" ("seq");
CREATE INDEX "reconcile_runs_task_finished_at_idx" ON "reconcile_runs" ("task", "finished_at");
