import { useSessions } from "../api/session.js";
import css from "../data/data.module.css";
import { useTitle } from "../frame/title.js";
import { HistoryPanels } from "./history-panels.js";
import { WorkPanel } from "./work-panel.js";
import { HealthPanel } from "./health-panel.js";
import { ServicesPanel } from "./services-panel.js";
import { TenantPanel } from "./tenant-panel.js";

export function OverviewPage() {
  useTitle("Overview");
  const { session } = useSessions();
  return (
    <div className={css.stack}>
      <h1>Overview</h1>
      {session?.kind === "admin" ? (
        <>
          <HealthPanel />
          <HistoryPanels />
          <WorkPanel />
          <ServicesPanel />
        </>
      ) : (
        <TenantPanel />
      )}
    </div>
  );
}
