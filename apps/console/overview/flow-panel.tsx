import type { Flow } from "../api/types.js";
import { Facts } from "../data/facts.js";
import { amount } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { ratesOf } from "../data/rates.js";
import { TimeChart } from "../data/time-chart.js";
import { useGet } from "../data/use-get.js";
import { useSamples } from "../data/use-samples.js";
import { Panel } from "../frame/panel.js";

const REFRESH_MS = 2_000;

/** Permits of the process that answers. */
export function FlowPanel() {
  const query = useGet<Flow>("/v1/admin/flow", REFRESH_MS);
  const { data } = query;
  const counters = data && { granted: data.granted, shed: shedOf(data) };
  const rates = ratesOf(useSamples(counters, query.dataUpdatedAt));
  return (
    <Panel title="Flow control, of the process that answers">
      <Loaded query={query}>
        {(flow) => (
          <Facts
            facts={[
              { title: "Permits granted", value: amount(flow.granted) },
              { title: "Shed", value: amount(shedOf(flow)), note: reasonsOf(flow) },
              { title: "Waiting now", value: amount(flow.waiting) },
              { title: "Decided without Redis", value: amount(flow.fallbacks), alarm: !flow.shared },
            ]}
          />
        )}
      </Loaded>
      <TimeChart
        label="Permits granted and shed a second"
        rows={rates}
        series={[
          { name: "granted", title: "granted a second", tone: "main" },
          { name: "shed", title: "shed a second", tone: "bad" },
        ]}
      />
    </Panel>
  );
}

function shedOf({ refused }: Flow): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}

function reasonsOf({ refused }: Flow): string {
  return Object.entries(refused)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${amount(count)} ${reason.replaceAll("_", " ")}`)
    .join(", ");
}
