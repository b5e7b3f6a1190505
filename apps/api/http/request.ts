import type { FastifyRequest } from "fastify";

/** A request once a guard has let it through. */
export interface TenantRequest extends FastifyRequest {
  tenantId: string;
}

/** The path as the client sent it, without the query. */
export function pathOf(request: Pick<FastifyRequest, "url">): string {
  const { url } = request;
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
