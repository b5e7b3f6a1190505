import { parseArgs } from "node:util";

export interface Options {
  readonly url: string;
  readonly adminKey: string;
  /** How much work there is; each example has its own default. */
  readonly size: number;
  /** Where a queue is kept. */
  readonly redis: string;
}

const DEFAULT_URL = "http://127.0.0.1:8080";
const DEFAULT_REDIS = "redis://127.0.0.1:6379";

/** The command line; the operator's key, which the first `npm start` prints, may also stand in the environment. */
export function readOptions(defaultSize: number): Options {
  const { values } = parseArgs({
    options: {
      url: { type: "string", default: DEFAULT_URL },
      "admin-key": { type: "string", default: process.env["HOLDFAST_ADMIN_KEY"] ?? "" },
      size: { type: "string", default: String(defaultSize) },
      redis: { type: "string", default: DEFAULT_REDIS },
    },
  });
  const { url, size, redis, "admin-key": adminKey } = values;
  if (adminKey === "") throw new Error("give the operator's key: --admin-key KEY or HOLDFAST_ADMIN_KEY=KEY");
  if (!/^[1-9][0-9]{0,5}$/.test(size)) throw new Error("--size must be a whole number from 1 to 999999");
  return { url, adminKey, size: Number(size), redis };
}
