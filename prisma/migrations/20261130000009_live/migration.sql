-- Marks of change: a number that moves whenever a table is written, so that whoever watches asks for one row and reads no
-- table. A mark may move before the change can be seen, and for one that is undone.
CREATE SEQUENCE "tenants_changed";
CREATE SEQUENCE "jobs_changed";
CREATE SEQUENCE "denials_changed";
CREATE SEQUENCE "services_changed";
CREATE SEQUENCE "webhooks_changed";
CREATE SEQUENCE "history_changed";

CREATE FUNCTION holdfast_changed() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  PERFORM nextval(TG_ARGV[0]::regclass);
  RETURN NULL;
END $$;

CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "tenants" EXECUTE FUNCTION holdfast_changed('tenants_changed');
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "api_keys" EXECUTE FUNCTION holdfast_changed('tenants_changed');
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "allowances" EXECUTE FUNCTION holdfast_changed('tenants_changed');
-- New jobs, reservations, ledger entries and runs have sequences of their own already.
CREATE TRIGGER "changed" AFTER UPDATE ON "jobs" EXECUTE FUNCTION holdfast_changed('jobs_changed');
CREATE TRIGGER "changed" AFTER UPDATE ON "reservations" EXECUTE FUNCTION holdfast_changed('jobs_changed');
-- Old ones are dropped by the hour, which need not be told.
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE ON "denials" EXECUTE FUNCTION holdfast_changed('denials_changed');
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "services" EXECUTE FUNCTION holdfast_changed('services_changed');
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "tenant_services" EXECUTE FUNCTION holdfast_changed('services_changed');
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "webhooks" EXECUTE FUNCTION holdfast_changed('webhooks_changed');
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE OR DELETE ON "webhook_deliveries" EXECUTE FUNCTION holdfast_changed('webhooks_changed');

-- Figures of all processes together, by buckets of "step" seconds that begin at "at". What is counted is added up; what
-- is measured is the last of the bucket. "label" is the reason or the unit, '' where there is none.
CREATE TABLE "figures" (
  "name" TEXT NOT NULL,
  "label" TEXT NOT NULL,
  "step" INTEGER NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "value" DOUBLE PRECISION NOT NULL,
  CONSTRAINT "figures_pkey" PRIMARY KEY ("step", "name", "label", "at")
) WITH (fillfactor = 80);
CREATE INDEX "figures_at_idx" ON "figures" USING brin ("at");

-- How services stood at the end of a bucket.
CREATE TABLE "service_figures" (
  "service" TEXT NOT NULL,
  "step" INTEGER NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "in_flight" INTEGER NOT NULL,
  "places" INTEGER,
  "adaptive_limit" INTEGER,
  "waiting" INTEGER NOT NULL,
  "breaker" TEXT NOT NULL,
  CONSTRAINT "service_figures_pkey" PRIMARY KEY ("step", "service", "at")
) WITH (fillfactor = 80);
CREATE INDEX "service_figures_at_idx" ON "service_figures" USING brin ("at");
CREATE TRIGGER "changed" AFTER INSERT OR UPDATE ON "figures" EXECUTE FUNCTION holdfast_changed('history_changed');
