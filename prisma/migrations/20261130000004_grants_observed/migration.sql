-- What would have been denied of the grant of a child job, where its tenant only observes; as reservations have it.
ALTER TABLE "jobs" ADD COLUMN "would_deny" JSON;
