import { Delete, Get, Post } from "@nestjs/common";
import { newTenantKey } from "../auth/keys.js";
import { IdParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { listed, pageOf, PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { notFound } from "../problems/problem.js";
import { Prisma, PrismaClient } from "../record/client.js";
import { requireTenant } from "../record/tenants.js";
import { Filters, Payload } from "../validation/pipe.js";
import { CreateKeyBody, KeyView, NewKeyView } from "./key.dto.js";

interface KeyColumns {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

@AdminRoutes("tenants/:tenantId/keys")
export class KeysController {
  constructor(private readonly record: PrismaClient) {}

  @Post()
  @Operation({ summary: "Make a key for a tenant; it is shown this once", status: 201, answer: NewKeyView })
  async create(@IdParam("tenant") tenantId: string, @Payload() { name }: CreateKeyBody): Promise<object> {
    const { id, key, hash } = newTenantKey(tenantId);
    const [row] = await this.record.$queryRaw<KeyColumns[]>(Prisma.sql`
      INSERT INTO api_keys (tenant_id, id, name, hash, created_at)
      SELECT id, ${id}, ${name}, ${hash}, holdfast_now() FROM tenants WHERE id = ${tenantId} AND state <> 'deleted'
      RETURNING id, name, created_at AS "createdAt", revoked_at AS "revokedAt"`);
    if (!row) throw notFound("tenant");
    return { ...keyView(row), key };
  }

  @Get()
  @Operation({ summary: "List the keys of a tenant, newest first, revoked ones too", answer: KeyView, list: true })
  async list(@IdParam("tenant") tenantId: string, @Filters() query: PageQuery): Promise<Listed> {
    await requireTenant(this.record, tenantId);
    const page = pageOf(`keys ${tenantId}`, query);
    const seq = page.after === undefined ? {} : { lt: page.after };
    const rows = await this.record.apiKey.findMany({
      where: { tenantId, seq },
      orderBy: { seq: "desc" },
      take: page.limit + 1,
    });
    return listed(page, rows, keyView);
  }

  @Delete(":keyId")
  @Operation({ summary: "Revoke a key: within a second it works nowhere", answer: KeyView })
  async revoke(@IdParam("tenant") tenantId: string, @IdParam("key") id: string): Promise<object> {
    const [row] = await this.record.$queryRaw<KeyColumns[]>(Prisma.sql`
      UPDATE api_keys SET revoked_at = coalesce(revoked_at, holdfast_now()) WHERE tenant_id = ${tenantId} AND id = ${id}
      RETURNING id, name, created_at AS "createdAt", revoked_at AS "revokedAt"`);
    if (!row) throw notFound("key");
    return keyView(row);
  }
}

function keyView({ id, name, createdAt, revokedAt }: KeyColumns): object {
  return { id, name, createdAt: createdAt.toISOString(), ...(revokedAt && { revokedAt: revokedAt.toISOString() }) };
}
