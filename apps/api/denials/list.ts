import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, type Listed } from "../lists/page.js";
import { ULID_PATTERN } from "../openapi/schemas.js";
import type { PrismaClient } from "../record/client.js";
import type { DenialsQuery } from "./denial.dto.js";
import { denialRowView } from "./denial.view.js";

const ID = new RegExp(`^dny_${ULID_PATTERN}$`);

/** The denials of a tenant, newest first, in the order of their ids. There are few, so a filter looks at all of them. */
export async function listDenials(record: PrismaClient, tenantId: string, query: DenialsQuery): Promise<Listed> {
  const { kind, unit, jobId, code } = query;
  const list = `denials ${tenantId}`;
  const limit = limitOf(query.limit);
  const after = afterOf(list, query.cursor, ID);
  const found = await record.denial.findMany({
    where: {
      tenantId,
      ...(after !== undefined && { id: { lt: after } }),
      ...(kind !== undefined && { kind }),
      ...(unit !== undefined && { unit }),
      ...(jobId !== undefined && { jobId }),
      ...(code !== undefined && { code }),
    },
    orderBy: { id: "desc" },
    take: limit + 1,
  });
  const last = found.length > limit ? found[limit - 1] : undefined;
  return { data: found.slice(0, limit).map(denialRowView), nextCursor: last ? cursorOf(list, last.id) : null };
}
