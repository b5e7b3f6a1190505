import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Tenant } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { useTitle } from "../frame/title.js";
import { CreateTenant } from "./create-tenant.js";
import { TenantBars } from "./tenant-bars.js";
import { EnforcementTag, StateTag } from "./tenant-tags.js";

const REFRESH_MS = 10_000;

const COLUMNS: readonly Column<Tenant>[] = [
  { title: "Tenant", cell: ({ id, name }) => <Link to={`/tenants/${id}`}>{name}</Link> },
  { title: "State", cell: ({ state }) => <StateTag state={state} /> },
  { title: "Mode", cell: ({ enforcement }) => <EnforcementTag enforcement={enforcement} /> },
  { title: "Allowances", cell: ({ id }) => <TenantBars tenantId={id} /> },
  { title: "Made", cell: ({ createdAt }) => <span className="number">{moment(createdAt)}</span> },
];

export function TenantsPage() {
  useTitle("Tenants");
  const [state, setState] = useState("");
  const [creating, setCreating] = useState(false);
  return (
    <div className={css.stack}>
      <div className={css.head}>
        <h1>Tenants</h1>
        <Button onClick={() => setCreating(true)}>New tenant</Button>
      </div>
      <Panel
        title="All tenants"
        aside={
          <Choice
            label="State"
            value={state}
            none="active and suspended"
            options={["active", "suspended", "deleted"]}
            onChange={setState}
          />
        }
      >
        <PagedTable
          label="Tenants"
          path="/v1/admin/tenants"
          params={{ state }}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty="There is no such tenant yet."
          refreshMs={REFRESH_MS}
        />
      </Panel>
      {creating && <CreateTenant onClose={() => setCreating(false)} />}
    </div>
  );
}
