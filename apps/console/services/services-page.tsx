import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Service } from "../api/types.js";
import css from "../data/data.module.css";
import { amount } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { useTitle } from "../frame/title.js";
import { BreakerTag } from "./breaker-tag.js";
import { OperatorSettings } from "./operator-settings.js";
import { useNow } from "./use-now.js";

const COLUMNS: readonly Column<Service>[] = [
  { title: "Service", cell: ({ name }) => <Link to={`/services/${encodeURIComponent(name)}`}>{name}</Link> },
  { title: "Now", cell: ({ name }) => <Live name={name} /> },
  { title: "Rate a second", right: true, cell: ({ ratePerSecond }) => ratePerSecond ?? "–" },
  { title: "Concurrency", right: true, cell: ({ concurrency }) => concurrency ?? "–" },
  { title: "Queue", right: true, cell: ({ queue }) => (queue ? amount(queue.max) : "–") },
];

export function ServicesPage() {
  useTitle("Services");
  const [adding, setAdding] = useState(false);
  return (
    <div className={css.stack}>
      <div className={css.head}>
        <h1>Services</h1>
        <Button onClick={() => setAdding(true)}>New service</Button>
      </div>
      <Panel title="What work calls">
        <PagedTable
          label="Services"
          path="/v1/admin/services"
          columns={COLUMNS}
          rowKey={({ name }) => name}
          empty="No service is named yet."
        />
      </Panel>
      {adding && <OperatorSettings service={null} onClose={() => setAdding(false)} />}
    </div>
  );
}

function Live({ name }: Pick<Service, "name">) {
  const { data, isError } = useNow(name);
  if (isError) return <span className={css.muted}>cannot be had now</span>;
  if (data === undefined) return <span className={css.muted}>…</span>;
  const { breaker, inFlight, places } = data;
  return (
    <span className={css.title}>
      <BreakerTag breaker={breaker} />
      <span className={css.muted}>
        {amount(inFlight)}
        {places !== null && ` of ${amount(places)}`} in flight
      </span>
    </span>
  );
}
