-- Services that work calls: what bounds calls to them, over all tenants and for single ones.
CREATE TABLE "services" (
  "name" TEXT NOT NULL,
  "settings" JSON NOT NULL,
  "version" BIGINT NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "services_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "tenant_services" (
  "tenant_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "settings" JSON NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "tenant_services_pkey" PRIMARY KEY ("tenant_id", "name")
);

-- What all processes sign with; made once, by whichever comes first.
CREATE TABLE "secrets" (
  "name" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "secrets_pkey" PRIMARY KEY ("name")
);
