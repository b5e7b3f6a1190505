-- A tenant's share of a service stands in the tenant's own book: rows of "allowances" and "balances" of the kind 'service'.
-- Entries also tell who changed what else bounds a service: these are of no unit and move nothing.
ALTER TABLE "ledger_entries" ALTER COLUMN "unit" DROP NOT NULL;
