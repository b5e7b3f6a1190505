import { useQuery } from "@tanstack/react-query";
import { callText } from "../api/call.js";
import { Facts } from "../data/facts.js";
import { amount } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { figuresOf, sumOf, type Figure } from "../data/metrics.js";
import { useKey } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { useInterval } from "../live/live.js";
import { Units } from "./units.js";

const REFRESH_MS = 2_000;
const DENIALS = ["allowance_exhausted", "exceeds_limit"];
const ADMISSIONS = ["done", "observed"];

/** Decisions and amounts, as the process that answers has counted them since its start. */
export function WorkPanel() {
  const key = useKey();
  const query = useQuery({
    queryKey: ["/metrics"],
    queryFn: async ({ signal }) => figuresOf(await callText(key, "/metrics", signal)),
    refetchInterval: useInterval("/metrics", REFRESH_MS),
  });
  return (
    <Panel title="Work, of the process that answers">
      <Loaded query={query}>
        {(figures) => (
          <>
            <Facts facts={factsOf(figures)} />
            <Units figures={figures} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function countersOf(figures: readonly Figure[]) {
  const reserves = (outcomes: readonly string[]) =>
    sumOf(figures, "holdfast_decisions_total", ({ operation, outcome }) => {
      return operation === "reserve" && outcomes.includes(outcome ?? "");
    });
  return { admitted: reserves(ADMISSIONS), denied: reserves(DENIALS), shed: sumOf(figures, "holdfast_shed_total") };
}

function factsOf(figures: readonly Figure[]) {
  const { admitted, denied, shed } = countersOf(figures);
  const granted = sumOf(figures, "holdfast_permits_total", ({ result }) => result === "granted");
  const overdue = sumOf(figures, "holdfast_reservations_overdue");
  return [
    { title: "Reservations admitted", value: amount(admitted) },
    { title: "Denied", value: amount(denied) },
    { title: "Permits granted", value: amount(granted) },
    { title: "Shed", value: amount(shed), note: reasonsOf(figures) },
    { title: "Waiting for a permit", value: amount(sumOf(figures, "holdfast_service_queue_depth")) },
    { title: "Overdue reservations", value: amount(overdue), alarm: overdue > 0 },
  ];
}

function reasonsOf(figures: readonly Figure[]): string {
  const counts = new Map<string, number>();
  for (const { name, labels, value } of figures) {
    const { reason } = labels;
    if (name === "holdfast_shed_total" && reason) counts.set(reason, (counts.get(reason) ?? 0) + value);
  }
  return [...counts].map(([reason, count]) => `${amount(count)} ${reason.replaceAll("_", " ")}`).join(", ");
}
