-- Which permit an attempt ended, and how: so that the same end again is told from another one. Both are null for an
-- attempt that was charged without a permit.
ALTER TABLE "attempts" ADD COLUMN "permit_id" TEXT, ADD COLUMN "permit_outcome" TEXT;
