import TestSequencer from "@jest/test-sequencer";

/**
 * Suites that take half a minute and more, in the order in which they begin: those that mostly wait stand between those
 * that compute. A fresh clone knows no durations, and whatever of these came last would keep one worker alone.
 */
const SLOWEST = [
  "simulation/simulation",
  "e2e/redis-forms",
  "console/console",
  "e2e/redis-refusals",
  "simulation/mutations",
  "e2e/outage",
  "chaos/chaos",
  "integration/reconciler-processes",
  "security/fuzz",
  "console/live",
  "e2e/replicas",
  "console/lab",
  "security/isolation",
  "e2e/shutdown",
  "model/http.model",
].map((name) => `/test/${name}.spec.ts`);

export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const place = SLOWEST.findIndex((name) => path.endsWith(name));
      return place < 0 ? SLOWEST.length : place;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
