/**
 * Enriches 400 accounts with a model, three attempts each, under a budget that holds 380 of them in the worst case: the rest
 * is denied before anything is spent, and told.
 *
 *   npm run example:enrich -- --admin-key KEY [--url URL] [--size 400]
 */
import { settlementOf } from "#libs/client"; // in your project: "@holdfast/client"
import { amountsOf, askModel, CALL } from "./common/model.js";
import { readOptions } from "./common/options.js";
import { printTable, ProgressBar } from "./common/screen.js";
import { balanceOf, newTenant } from "./common/tenant.js";

const ATTEMPTS = 3;

const options = readOptions(400);
const accounts = Array.from({ length: options.size }, (_, i) => `account ${i + 1}`);
const worstCase = Math.floor(options.size * 0.95) * ATTEMPTS;
const holdfast = await newTenant(options, "example: enrich", {
  allowances: {
    tokens: { limit: worstCase * CALL["tokens"]! },
    usd_micros: { limit: worstCase * CALL["usd_micros"]! },
  },
});

const bar = new ProgressBar("accounts");
const report = await holdfast.fanOut(
  accounts,
  async (account, { signal, planned, use }) => {
    const answer = await askModel(account, signal);
    use(settlementOf(answer, { planned, amounts: amountsOf }).actual);
    return answer.text;
  },
  {
    attemptCost: CALL,
    attempts: ATTEMPTS,
    concurrency: 20,
    admit: "partial",
    onProgress: ({ counts, total, cost }) => {
      const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
      bar.show(ended, total, `${cost["usd_micros"] ?? 0} usd_micros`);
    },
  },
);
bar.end();

printTable(
  Object.entries(report.counts).map(([status, items]) => {
    const ended = report.results.filter((result) => result.status === status);
    return {
      status,
      items,
      attempts: ended.reduce((sum, { attempts }) => sum + attempts, 0),
      usd_micros: ended.reduce((sum, { cost }) => sum + (cost["usd_micros"] ?? 0), 0),
    };
  }),
);
console.log(await balanceOf(holdfast, "usd_micros"));
