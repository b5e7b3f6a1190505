-- While nothing is known of a table, its indexes that begin alike cost the planner the same, and it takes the one that was
-- made last. That must be the primary key: a row of a tenant would else be sought among all rows of the tenant, by
-- statements that are prepared while the record is new and keep their plan until PostgreSQL has counted.
DO $$
DECLARE
  pkey record;
BEGIN
  FOR pkey IN
    SELECT c.conrelid::regclass AS of, c.conname AS name, pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c
    WHERE c.contype = 'p' AND c.connamespace = current_schema()::regnamespace AND EXISTS (
      SELECT 1 FROM pg_index i
      WHERE i.indrelid = c.conrelid AND i.indexrelid > c.conindid AND i.indkey[0] = c.conkey[1]
    )
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I %3$s', pkey.of, pkey.name, pkey.definition);
  END LOOP;
END $$;
