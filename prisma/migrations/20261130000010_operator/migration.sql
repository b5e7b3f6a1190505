-- What the operator did to a tenant besides its limits, which are journalled in the ledger. Written with what it did, in
-- one transaction, and never changed.
CREATE TABLE "acts" (
  "tenant_id" TEXT NOT NULL,
  "seq" BIGINT GENERATED ALWAYS AS IDENTITY,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "act" TEXT NOT NULL,
  "job_id" TEXT,
  "actor" TEXT NOT NULL,
  "reason" TEXT,
  CONSTRAINT "acts_pkey" PRIMARY KEY ("tenant_id", "seq"),
  CONSTRAINT "acts_act" CHECK ("act" IN ('suspend', 'resume', 'delete', 'enforce', 'observe', 'cancel'))
);
CREATE INDEX "acts_tenant_id_job_id_idx" ON "acts" ("tenant_id", "job_id") WHERE "job_id" IS NOT NULL;

-- The users of a tenant, each found by a step from the one before. Its columns never change, so that updates of a balance
-- stay in their page.
CREATE INDEX "balances_users_idx" ON "balances" ("tenant_id", "scope_id") WHERE "kind" = 'user';

-- Which tenants have settings of their own at a service.
CREATE INDEX "tenant_services_name_tenant_id_idx" ON "tenant_services" ("name", "tenant_id");
