import type { Instruments } from "./instruments.js";

/** What a process has counted since its start, as history names it. */
export interface Count {
  readonly name: CountedName;
  /** The unit, the reason, or the kind of the scope; "" where nothing is told apart. */
  readonly label: string;
  readonly value: number;
}

/** What is counted, and so adds up over processes and over time. */
export const COUNTED = ["admitted", "denied", "settled", "expired", "granted", "shed", "spent"] as const;
type CountedName = (typeof COUNTED)[number];

const ADMISSIONS = ["done", "observed"];
const DENIALS = ["allowance_exhausted", "exceeds_limit"];
/** Of these, what was done is counted. */
const CLOSINGS: Readonly<Record<string, CountedName>> = { settle: "settled", expire: "expired" };

/** Read off the counters that Prometheus is shown: nothing is counted twice. */
export async function countsOf({ decisions, permits, shed, spent }: Instruments): Promise<Count[]> {
  const sums = new Map<string, Count>();
  const add = (name: CountedName, label: string, value: number): void => {
    const key = `${name} ${label}`;
    sums.set(key, { name, label, value: (sums.get(key)?.value ?? 0) + value });
  };
  for (const { labels, value } of (await decisions.get()).values) {
    const [operation, outcome, scope] = [labels.operation, labels.outcome, labels.scope].map(String);
    if (operation === "reserve" && ADMISSIONS.includes(outcome!)) add("admitted", "", value);
    if (operation === "reserve" && DENIALS.includes(outcome!)) add("denied", scope!, value);
    const closing = CLOSINGS[operation!];
    if (closing && outcome === "done") add(closing, "", value);
  }
  for (const { labels, value } of (await permits.get()).values)
    if (labels.result === "granted") add("granted", "", value);
  for (const { labels, value } of (await shed.get()).values) add("shed", String(labels.reason), value);
  for (const { labels, value } of (await spent.get()).values) add("spent", String(labels.unit), value);
  return [...sums.values()];
}
