import { Route, Routes, useParams } from "react-router";
import { useSessions } from "../api/session.js";
import { OwnDenialPage, OwnDenialsPage } from "../denials/denial-pages.js";
import { Nothing } from "../frame/nothing.js";
import { JobPage } from "../jobs/job-page.js";
import { JobsPage } from "../jobs/jobs-page.js";
import { OverviewPage } from "../overview/overview-page.js";
import { ReconcilerPage } from "../reconciler/reconciler-page.js";
import { ServicePage } from "../services/service-page.js";
import { ServicesPage } from "../services/services-page.js";
import { OwnLedgerPage } from "../tenants/own-ledger-page.js";
import { TenantPage } from "../tenants/tenant-page.js";
import { TenantsPage } from "../tenants/tenants-page.js";
import { WebhooksPage } from "../webhooks/webhooks-page.js";

/** The pages of whoever is signed in: each key sees those that it can use. */
export default function Console() {
  const { session } = useSessions();
  return session?.kind === "admin" ? <OfOperator /> : <OfTenant />;
}

function OfOperator() {
  return (
    <Routes>
      <Route path="/" element={<OverviewPage />} />
      <Route path="/tenants" element={<TenantsPage />} />
      <Route path="/tenants/:tenantId/jobs/:jobId" element={<JobOfTenant />} />
      <Route path="/tenants/:tenantId/*" element={<TenantPage />} />
      <Route path="/services" element={<ServicesPage />} />
      <Route path="/services/:service" element={<ServicePage />} />
      <Route path="/webhooks" element={<WebhooksPage />} />
      <Route path="/reconciler" element={<ReconcilerPage />} />
      <Route path="*" element={<Nothing />} />
    </Routes>
  );
}

function OfTenant() {
  return (
    <Routes>
      <Route path="/" element={<OverviewPage />} />
      <Route path="/jobs" element={<JobsPage />} />
      <Route path="/jobs/:jobId" element={<OwnJob />} />
      <Route path="/denials" element={<OwnDenialsPage />} />
      <Route path="/denials/:denialId" element={<OwnDenialPage />} />
      <Route path="/ledger" element={<OwnLedgerPage />} />
      <Route path="*" element={<Nothing />} />
    </Routes>
  );
}

function JobOfTenant() {
  const { tenantId = "", jobId = "" } = useParams();
  const base = `/v1/admin/tenants/${encodeURIComponent(tenantId)}`;
  const here = `/tenants/${tenantId}`;
  return (
    <JobPage
      jobId={jobId}
      base={base}
      to={`${here}/jobs`}
      own={false}
      ledger={`${here}/ledger`}
      denials={`${here}/denials`}
    />
  );
}

function OwnJob() {
  const { jobId = "" } = useParams();
  return <JobPage jobId={jobId} base="/v1" to="/jobs" own ledger="/ledger" denials="/denials" />;
}
