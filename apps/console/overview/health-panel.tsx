import type { Page, Ready, Run } from "../api/types.js";
import { Facts } from "../data/facts.js";
import { amount, moment } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";

const REFRESH_MS = 3_000;

export function HealthPanel() {
  const ready = useGet<Ready>("/health/ready", REFRESH_MS);
  const audits = useGet<Page<Run>>("/v1/admin/reconcile/runs?task=audit&limit=1", REFRESH_MS);
  const audit = audits.data?.data[0];
  return (
    <Panel title="Health">
      <Loaded query={ready}>
        {({ checks: { record, redis, sweep } }) => (
          <Facts
            facts={[
              { title: "Record", value: record.status, alarm: record.status !== "up" },
              { title: "Redis", value: redis.status, alarm: redis.status === "bypassed" },
              {
                title: "Last sweep",
                value: sweep.ageMs === null ? "never" : `${amount(Math.round(sweep.ageMs / 1_000))} s`,
                note: sweep.ageMs === null ? "" : "ago",
                alarm: sweep.status === "late",
              },
              driftOf(audit),
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function driftOf(audit: Run | undefined) {
  if (!audit) return { title: "Drift", value: "not audited yet" };
  const { differences = 0 } = (audit.detail ?? {}) as { differences?: number };
  return { title: "Drift", value: amount(differences), note: moment(audit.finishedAt), alarm: differences > 0 };
}
