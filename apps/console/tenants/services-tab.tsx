import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Tenant, TenantService } from "../api/types.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { OwnSettings, ownColumns } from "../services/own-settings.js";

/** What bounds the tenant at services, besides what bounds all tenants there. */
export function ServicesTab({ tenant: { id } }: { readonly tenant: Tenant }) {
  const [adding, setAdding] = useState(false);
  const columns: readonly Column<TenantService>[] = [
    { title: "Service", cell: ({ name }) => <Link to={`/services/${encodeURIComponent(name)}`}>{name}</Link> },
    ...ownColumns<TenantService>(() => id),
  ];
  return (
    <Panel
      title="Its own settings at services"
      aside={
        <Button size="xs" variant="default" onClick={() => setAdding(true)}>
          At a service …
        </Button>
      }
    >
      <PagedTable
        label="Services"
        path={`/v1/admin/tenants/${id}/services`}
        columns={columns}
        rowKey={({ name }) => name}
        empty="What bounds all tenants bounds this one, and nothing else."
      />
      {adding && <OwnSettings tenantId={id} settings={null} onClose={() => setAdding(false)} />}
    </Panel>
  );
}
