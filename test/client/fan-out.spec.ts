import { setTimeout as sleep } from "node:timers/promises";
import { AllowanceExhausted, Holdfast as Client, type ItemResult, JobNotOpen } from "#libs/client";
import { newService } from "../support/flow.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast({ HOLDFAST_RETRY_RATIO: "off" });
}, 60_000);
afterAll(() => holdfast?.stop());

const clientOf = ({ key }: HttpTenant): Client => new Client({ baseUrl: holdfast.url, apiKey: key });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe("fanOut", () => {
  it("runs every item, at most so many at once, settles what each told, and closes the job that it made", async () => {
    const tenant = await holdfast.tenant();
    let running = 0;
    let most = 0;
    const report = await clientOf(tenant).fanOut(
      numbers(20),
      async (item, { use }) => {
        most = Math.max(most, (running += 1));
        await sleep(10);
        running -= 1;
        use({ tokens: item });
        return item * 2;
      },
      { attemptCost: { tokens: 30 }, concurrency: 4 },
    );
    expect(report.results.map((result) => result.status === "done" && result.value)).toEqual(
      numbers(20).map((item) => item * 2),
    );
    expect(most).toBe(4);
    expect(report.cost).toEqual({ tokens: 190 });
    expect(report.closed).toBe("settled");
    expect(await tenant.balance()).toMatchObject({ spent: 190, reserved: 0 });
    expect((await tenant.call("GET", `/v1/jobs/${report.jobId}`)).body.state).toBe("closed");
    await tenant.expectAtRest();
  });

  it("retries what failed within the plan, and counts every attempt's cost", async () => {
    const tenant = await holdfast.tenant();
    const report = await clientOf(tenant).fanOut(
      numbers(3),
      (item, { attempt, use }) => {
        use({ tokens: 2 });
        if (attempt <= item) throw new Error(`attempt ${attempt}`);
        return attempt;
      },
      { attemptCost: { tokens: 10 }, attempts: 2 },
    );
    expect(report.results).toMatchObject([
      { status: "done", value: 1, attempts: 1, cost: { tokens: 2 } },
      { status: "done", value: 2, attempts: 2, cost: { tokens: 4 } },
      { status: "failed", attempts: 2, cost: { tokens: 4 }, error: { message: "attempt 2" } },
    ]);
    expect(report.counts).toEqual({ done: 2, failed: 1, denied: 0, shed: 0, cancelled: 0 });
    expect(await tenant.balance()).toMatchObject({ spent: 10, reserved: 0 });
    await tenant.expectAtRest();
  });
});
