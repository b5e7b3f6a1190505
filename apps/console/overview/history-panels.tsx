import { useState } from "react";
import type { History } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { figuresOver, type Figures } from "../data/history.js";
import { Loaded } from "../data/loaded.js";
import { SpanChoice, SPANS, type SpanName } from "../data/span-choice.js";
import { TimeChart } from "../data/time-chart.js";
import { useGet, withQuery } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";

const REFRESH_MS = 10_000;

/** Figures of all processes together, over time. */
export function HistoryPanels() {
  const [span, setSpan] = useState<SpanName>("15 minutes");
  const query = useGet<History>(withQuery("/v1/admin/history", SPANS[span]), REFRESH_MS);
  return (
    <>
      <Panel title="Decisions over time" aside={<SpanChoice value={span} onChange={setSpan} />}>
        <Loaded query={query}>{(history) => <Work figures={figuresOver(history)} />}</Loaded>
      </Panel>
      <Loaded query={query}>{(history) => <Amounts figures={figuresOver(history)} />}</Loaded>
    </>
  );
}

function Work({ figures: { work } }: { readonly figures: Figures }) {
  return (
    <>
      <TimeChart
        label="Reservations admitted and denied, and permits shed, a second"
        rows={work}
        series={[
          { name: "admitted", title: "admitted a second", tone: "main" },
          { name: "denied", title: "denied a second", tone: "bad" },
          { name: "shed", title: "shed a second", tone: "limit", dashed: true },
        ]}
      />
      <TimeChart
        label="Callers who wait for a permit"
        rows={work}
        series={[{ name: "waiting", title: "queue depth", tone: "main" }]}
      />
    </>
  );
}

function Amounts({ figures: { amounts } }: { readonly figures: Figures }) {
  const units = [...amounts.keys()];
  const [chosen, setChosen] = useState("");
  const moving = units.find((each) => amounts.get(each)!.some(({ reserved, spent }) => reserved || spent));
  const unit = units.includes(chosen) ? chosen : (moving ?? units[0]);
  if (unit === undefined) return null;
  return (
    <Panel
      title="Reserved against spent"
      aside={<Choice label="Unit" value={unit} options={units} onChange={setChosen} />}
    >
      <div className={css.stack}>
        <TimeChart
          label={`${unit} reserved, and spent since the first time shown`}
          rows={amounts.get(unit)!}
          series={[
            { name: "reserved", title: "reserved", tone: "limit", dashed: true },
            { name: "spent", title: "spent since the start", tone: "main" },
          ]}
        />
      </div>
    </Panel>
  );
}
