-- Charges: what a reservation still holds and what was charged to it, and one row for each attempt that was charged.
ALTER TABLE "reservations" ADD COLUMN "held" JSON, ADD COLUMN "charged" JSON,
  ADD COLUMN "ancestors" TEXT[] NOT NULL DEFAULT '{}';
UPDATE "reservations" SET
  "charged" = (SELECT coalesce(json_object_agg(u, 0), '{}') FROM json_object_keys("reserved") AS k(u)),
  "held" = CASE WHEN "state" = 'open' THEN "reserved"
    ELSE (SELECT coalesce(json_object_agg(u, 0), '{}') FROM json_object_keys("reserved") AS k(u)) END;
ALTER TABLE "reservations" ALTER COLUMN "held" SET NOT NULL, ALTER COLUMN "charged" SET NOT NULL;

-- Facts: rows are added and never changed. The key finds the attempts of one child, and makes each happen once.
CREATE TABLE "attempts" (
  "tenant_id" TEXT NOT NULL,
  "reservation_id" TEXT NOT NULL,
  "child" BIGINT NOT NULL,
  "attempt" BIGINT NOT NULL,
  "outcome" TEXT NOT NULL,
  "actual" JSON NOT NULL,
  "freed" JSON NOT NULL,
  "late" BOOLEAN NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "attempts_pkey" PRIMARY KEY ("tenant_id", "reservation_id", "child", "attempt"),
  CONSTRAINT "attempts_outcome" CHECK ("outcome" IN ('succeeded', 'failed'))
);

-- Child jobs: the jobs above a job, its parent first, are fixed when it is made; its depth is their number and one.
ALTER TABLE "jobs" DROP COLUMN "depth", ADD COLUMN "ancestors" TEXT[] NOT NULL DEFAULT '{}';
CREATE INDEX "jobs_tenant_id_parent_id_seq_idx" ON "jobs" ("tenant_id", "parent_id", "seq") WHERE "parent_id" IS NOT NULL;
