export { COUNTED } from "./counts.js";
export { FigureHistory, HISTORY_STEPS_S } from "./history.js";
export { listen, type Listener } from "./listener.js";
export { Metrics, MOST_SERVICES } from "./metrics.js";
export { sumBy, total } from "./sums.js";
export { openTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.js";
export type { TracedRequest, Traces } from "./traces.js";
