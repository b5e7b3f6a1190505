import { monotonicFactory } from "ulid";

const next = monotonicFactory();

/** A new id, sortable by time: `<prefix>_<ULID>`. */
export function newId(prefix: "ten" | "key" | "job" | "rsv" | "run"): string {
  return `${prefix}_${next()}`;
}
