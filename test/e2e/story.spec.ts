import { figuresOf, mostWhileBroken, table } from "../story/figures.js";
import { SMALL } from "../story/scale.js";
import { tell, type Story } from "../story/story.js";
import { FlowReplicas } from "../support/flow-replicas.js";

const { greedy, modest, callsEach, perSecond, brokenMs, breaker } = SMALL;
const calls = (greedy + modest.accounts) * callsEach;

describe(`${calls} calls of a service of ${perSecond} a second that breaks for ${brokenMs} ms, by two tenants`, () => {
  let replicas: FlowReplicas;
  let story: Story;

  beforeAll(async () => {
    replicas = await FlowReplicas.start();
    story = await tell(replicas, SMALL);
    console.log(table(story, SMALL).join("\n"));
  }, 60_000);
  afterAll(() => replicas?.stop());

  const governed = () => figuresOf(story.governed, SMALL);

  it("never sends the service more than it serves", () => {
    // Permits are a tenth of a second apart; on a busy machine one may arrive in the second after its own.
    expect(governed().busiestSecond).toBeLessThanOrEqual(perSecond + 1);
    expect(governed().refused).toBe(0);
  });

  it("leaves it alone while it is broken, but for what opens the breaker and its probes", () => {
    expect(governed().whileBroken).toBeGreaterThanOrEqual(breaker.failures);
    expect(governed().whileBroken).toBeLessThanOrEqual(mostWhileBroken(SMALL));
  });

  it("gets every call done, in little more than the shortest time", () => {
    expect(governed().requests).toBe(calls + governed().whileBroken);
    expect(governed().givenUp).toBe(0);
    // Full size stays within 1.15; here it weighs more how long callers wait to come back after the outage.
    expect(governed().wholeMs).toBeLessThan(1.4 * governed().idealMs);
  });

  it("spends exactly what was used, and holds nothing in the end", () => {
    expect(story.spend.spent).toBe(governed().used);
    expect(story.spend.reserved).toBe(0);
  });

  it("keeps a greedy tenant from slowing down a modest one by half", () => {
    expect(governed().slowedBefore).toBeLessThan(1.5);
    // Of its ten seconds up to two are the luck of when it comes back after the outage.
    expect(governed().slowed).toBeLessThan(1.75);
  });

  it("is refused by the service without Holdfast, and calls it while it is broken", () => {
    const naive = figuresOf(story.naive, SMALL);
    expect(naive.refusedAfterFirstSecond).toBeGreaterThan(0);
    expect(naive.whileBroken).toBeGreaterThan(mostWhileBroken(SMALL));
  });
});
