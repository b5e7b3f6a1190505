import type { Run } from "../api/types.js";

export const TASKS: readonly Run["task"][] = [
  "expire",
  "periods",
  "retention",
  "audit",
  "notify",
  "statistics",
  "history",
];
