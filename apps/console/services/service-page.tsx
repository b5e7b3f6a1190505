import { Button } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import type { Entry, ServiceDetail } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { Facts } from "../data/facts.js";
import { amount, moment } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { useTitle } from "../frame/title.js";
import { LedgerPanel } from "../tenants/ledger-panel.js";
import { BreakerSwitch } from "./breaker-switch.js";
import { BreakerTag } from "./breaker-tag.js";
import { OperatorSettings } from "./operator-settings.js";
import { OverTime } from "./over-time.js";
import { ServiceTenants } from "./service-tenants.js";
import { useNow } from "./use-now.js";
import { Waiting } from "./waiting.js";

const LIVE_MS = 2_000;

export function ServicePage() {
  const { service = "" } = useParams();
  useTitle(service);
  const query = useGet<ServiceDetail>(`/v1/admin/services/${encodeURIComponent(service)}`, LIVE_MS);
  const now = useNow(service);
  return (
    <Loaded query={query}>
      {(detail) => {
        const live = now.data ?? detail.live;
        return (
          <div className={css.stack}>
            <div className={css.head}>
              <div className={css.title}>
                <h1>{detail.name}</h1>
                <BreakerTag breaker={live.breaker} />
              </div>
              {detail.breaker && <BreakerSwitch service={{ ...detail, live }} />}
            </div>
            <Now live={live} />
            <OverTime service={detail} live={live} at={now.dataUpdatedAt} />
            <Book service={detail} />
            <Waiting waiting={live.waiting} holders={live.holders} />
            <ServiceTenants name={detail.name} />
            <Settings service={detail} />
          </div>
        );
      }}
    </Loaded>
  );
}

function Now({ live }: Pick<ServiceDetail, "live">) {
  const waiting = Object.values(live.waiting as Readonly<Record<string, number>>);
  const facts = [
    { title: "In flight", value: amount(live.inFlight), note: live.places === null ? "" : `of ${amount(live.places)}` },
    { title: "Adaptive limit", value: live.adaptiveLimit === null ? "–" : amount(live.adaptiveLimit) },
    { title: "Tokens of the rate", value: live.tokens === null ? "–" : amount(live.tokens) },
    { title: "Waiting", value: amount(waiting.reduce((sum, count) => sum + count, 0)) },
  ];
  return (
    <Panel title="Now">
      {!live.shared && <p role="status">Redis is away: these are the figures of one process alone.</p>}
      <Facts facts={facts} />
    </Panel>
  );
}

const jobsOf = ({ detail }: Entry): string | undefined => detail?.tenantId && `/tenants/${detail.tenantId}/jobs`;

/** What all tenants together may spend at it, and who changed what. */
function Book({ service: { name, balances } }: { readonly service: ServiceDetail }) {
  return (
    <>
      {balances.length > 0 && (
        <Panel title="Allowances, over all tenants">
          <div className={css.grid}>
            {balances.map((balance) => (
              <BalanceBar key={balance.unit} balance={balance} />
            ))}
          </div>
        </Panel>
      )}
      <LedgerPanel path={`/v1/admin/services/${encodeURIComponent(name)}/ledger`} jobsOf={jobsOf} />
    </>
  );
}

function Settings({ service }: { readonly service: ServiceDetail }) {
  const { ratePerSecond, burst, concurrency, queue, breaker, adaptive, version, updatedAt } = service;
  const lines = [
    ["Rate", ratePerSecond === undefined ? "not bound" : `${ratePerSecond} a second, burst ${burst ?? "the same"}`],
    ["Concurrency", concurrency ?? "not bound"],
    ["Queue", queue ? `${amount(queue.max)} callers, ${amount(queue.maxWaitMs)} ms at most` : "none"],
    [
      "Breaker",
      breaker
        ? `opens after ${breaker.failures} failures in ${amount(breaker.windowMs)} ms, tries again after ${amount(breaker.resetMs)} ms`
        : "none",
    ],
    ["Adaptive limit", adaptive ? `${amount(adaptive.min)} to ${amount(adaptive.max)}` : "none"],
  ] as const;
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      title="Settings"
      aside={
        <Button size="xs" variant="default" onClick={() => setEditing(true)}>
          Edit …
        </Button>
      }
    >
      {lines.map(([name, text]) => (
        <p key={name}>
          <strong>{name}:</strong> {text}
        </p>
      ))}
      <p className={css.muted}>
        Version {version}, changed {moment(updatedAt)}
      </p>
      {editing && <OperatorSettings service={service} onClose={() => setEditing(false)} />}
    </Panel>
  );
}
