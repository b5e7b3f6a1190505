import type { ReactNode } from "react";
import { NavLink, Route, Routes, useParams } from "react-router";
import type { Tenant } from "../api/types.js";
import css from "../data/data.module.css";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { DenialTab } from "../denials/denial-pages.js";
import { DenialsPanel } from "../denials/denials-panel.js";
import { placesOf } from "../denials/places.js";
import { Nothing } from "../frame/nothing.js";
import { useTitle } from "../frame/title.js";
import { JobsPanel } from "../jobs/jobs-panel.js";
import { WebhooksPanel } from "../webhooks/webhooks-panel.js";
import { Acting } from "./acting.js";
import { ActsTab } from "./acts-tab.js";
import { AllowancesTab } from "./allowances-tab.js";
import { KeysTab } from "./keys-tab.js";
import { LedgerPanel } from "./ledger-panel.js";
import { ServicesTab } from "./services-tab.js";
import { TenantActions } from "./tenant-actions.js";
import { EnforcementTag, StateTag } from "./tenant-tags.js";
import { UsersTab } from "./users-tab.js";
import { WhyNotActive } from "./why-not-active.js";

const TABS = [
  { path: "", text: "Allowances" },
  { path: "users", text: "Users" },
  { path: "keys", text: "Keys" },
  { path: "jobs", text: "Jobs" },
  { path: "denials", text: "Denials" },
  { path: "ledger", text: "Ledger" },
  { path: "services", text: "Services" },
  { path: "webhooks", text: "Webhooks" },
  { path: "journal", text: "Journal" },
];
const REFRESH_MS = 10_000;

export function TenantPage() {
  const { tenantId = "" } = useParams();
  const base = `/v1/admin/tenants/${encodeURIComponent(tenantId)}`;
  return <Loaded query={useGet<Tenant>(base, REFRESH_MS)}>{(tenant) => <Shown tenant={tenant} base={base} />}</Loaded>;
}

function Shown({ tenant, base }: { readonly tenant: Tenant; readonly base: string }) {
  useTitle(tenant.name);
  const here = `/tenants/${tenant.id}`;
  const denials = placesOf(tenant.id);
  const acting = (tab: ReactNode) => <Acting tenant={tenant}>{tab}</Acting>;
  return (
    <div className={css.stack}>
      <div className={css.head}>
        <div className={css.title}>
          <h1>{tenant.name}</h1>
          <StateTag state={tenant.state} />
          <EnforcementTag enforcement={tenant.enforcement} />
        </div>
        <TenantActions tenant={tenant} />
      </div>
      <code className={css.muted}>{tenant.id}</code>
      {tenant.state !== "active" && <WhyNotActive state={tenant.state} path={`${base}/acts`} />}
      <nav className={css.tabs} aria-label="Of this tenant">
        {TABS.map(({ path, text }) => (
          <NavLink key={path} to={path === "" ? here : `${here}/${path}`} end={path === ""}>
            {text}
          </NavLink>
        ))}
      </nav>
      <Routes>
        <Route index element={acting(<AllowancesTab tenant={tenant} />)} />
        <Route path="users" element={<UsersTab tenant={tenant} />} />
        <Route path="keys" element={acting(<KeysTab tenant={tenant} />)} />
        <Route path="jobs" element={<JobsPanel path={`${base}/jobs`} to={`${here}/jobs`} />} />
        <Route path="denials" element={<DenialsPanel places={denials} />} />
        <Route path="denials/:denialId" element={<DenialTab places={denials} />} />
        <Route path="ledger" element={<LedgerPanel path={`${base}/ledger`} jobsOf={() => `${here}/jobs`} />} />
        <Route path="webhooks" element={acting(<WebhooksPanel path={`${base}/webhooks`} />)} />
        <Route path="services" element={acting(<ServicesTab tenant={tenant} />)} />
        <Route path="journal" element={<ActsTab path={`${base}/acts`} to={`${here}/jobs`} />} />
        <Route path="*" element={<Nothing />} />
      </Routes>
    </div>
  );
}
