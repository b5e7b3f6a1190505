-- The allowances of a service bind the work of all tenants. They stand in a book of the service's own: rows of
-- "allowances", "balances", "ledger_entries" and "idempotency_keys" under the id 'service:<name>' where a tenant's have
-- the tenant's, all written under the lock of the row in "services", which is taken after those of tenants.
ALTER TABLE "reservations" ADD COLUMN "service" TEXT, ADD COLUMN "service_keys" TEXT[] NOT NULL DEFAULT '{}';
-- What the audit reads: what is held at a service, over all tenants.
CREATE INDEX "reservations_service_open_idx" ON "reservations" ("service")
  WHERE "state" = 'open' AND "service" IS NOT NULL;
