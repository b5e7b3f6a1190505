export { listen, type Listener } from "./listener.js";
export { Metrics, MOST_SERVICES, type MetricsOptions } from "./metrics.js";
export { sumBy, total } from "./sums.js";
