import type { ServiceTenant } from "../api/types.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { TenantLink } from "../tenants/tenant-link.js";
import { ownColumns } from "./own-settings.js";

const COLUMNS: readonly Column<ServiceTenant>[] = [
  { title: "Tenant", cell: ({ tenantId }) => <TenantLink tenantId={tenantId} /> },
  ...ownColumns<ServiceTenant>(({ tenantId }) => tenantId),
];

/** The tenants that have settings of their own at a service. */
export function ServiceTenants({ name }: { readonly name: string }) {
  return (
    <Panel title="Tenants with settings of their own">
      <PagedTable
        label="Tenants with settings of their own"
        path={`/v1/admin/services/${encodeURIComponent(name)}/tenants`}
        columns={COLUMNS}
        rowKey={({ tenantId }) => tenantId}
        empty="None: all tenants are bound alike."
      />
    </Panel>
  );
}
