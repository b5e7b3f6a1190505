import { useState } from "react";
import type { ServiceDetail, ServiceHistory } from "../api/types.js";
import css from "../data/data.module.css";
import { Loaded } from "../data/loaded.js";
import { SpanChoice, SPANS, type SpanName } from "../data/span-choice.js";
import { TimeChart } from "../data/time-chart.js";
import { useGet, withQuery } from "../data/use-get.js";
import { useSamples } from "../data/use-samples.js";
import { Panel } from "../frame/panel.js";
import { bandsOf, wordsOf } from "./breaker-bands.js";
import { standingOver } from "./standing.js";

const REFRESH_MS = 10_000;

interface Props {
  readonly service: ServiceDetail;
  readonly live: ServiceDetail["live"];
  /** When that was so, by the browser's clock. */
  readonly at: number;
}

/** How it stood: as the record has it, and since then as this page was told. */
export function OverTime({ service, live, at }: Props) {
  const [span, setSpan] = useState<SpanName>("15 minutes");
  const path = `/v1/admin/services/${encodeURIComponent(service.name)}/history`;
  const query = useGet<ServiceHistory>(withQuery(path, SPANS[span]), REFRESH_MS);
  const samples = useSamples(live, at);
  return (
    <Panel title="In flight, against the limit" aside={<SpanChoice value={span} onChange={setSpan} />}>
      <Loaded query={query}>
        {(history) => {
          const rows = standingOver(history, samples);
          const bands = bandsOf(rows);
          return (
            <>
              <TimeChart
                label="Attempts in flight and the limit of places, over time"
                rows={rows.map(({ at: when, inFlight, places }) => ({ at: when, inFlight, places }))}
                series={[
                  { name: "inFlight", title: "in flight", tone: "main" },
                  { name: "places", title: service.adaptive ? "adaptive limit" : "limit", tone: "limit", dashed: true },
                ]}
                bands={bands}
              />
              {service.breaker && <p className={css.muted}>{wordsOf(bands)}</p>}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
