import { randomFillSync } from "node:crypto";
import { monotonicFactory } from "ulid";

/** Random bytes are drawn in portions: asking the system for each character of an id costs more than the id. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]! / 256;
}

const next = monotonicFactory(random);

/** A new id, sortable by time: `<prefix>_<ULID>`. */
export function newId(prefix: "ten" | "key" | "job" | "rsv" | "att" | "run" | "evt" | "dlv" | "dny"): string {
  return `${prefix}_${next()}`;
}
