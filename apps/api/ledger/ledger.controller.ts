import { Get, Req } from "@nestjs/common";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { Filters } from "../validation/pipe.js";
import { EntriesQuery } from "./entries.dto.js";
import { EntryView } from "./entry.view.js";
import { listEntries } from "./list.js";

@TenantRoutes("ledger")
export class LedgerController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({
    summary:
      "Every entry that changed a balance, or what is set for the tenant at a service, oldest first unless asked otherwise",
    description: "With a filter a page may be short, or empty, and still have a next one: `nextCursor` tells.",
    answer: EntryView,
    list: true,
  })
  list(@Filters() query: EntriesQuery, @Req() { tenantId }: TenantRequest): Promise<Listed> {
    return listEntries(this.record, tenantId, query);
  }
}
