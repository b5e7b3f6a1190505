import { Link } from "react-router";
import type { Tenant } from "../api/types.js";
import { useGet } from "../data/use-get.js";

/** By its name once that is known. */
export function TenantLink({ tenantId }: { readonly tenantId: string }) {
  const { data } = useGet<Tenant>(`/v1/admin/tenants/${tenantId}`);
  return <Link to={`/tenants/${tenantId}`}>{data?.name ?? tenantId}</Link>;
}
