import { newService } from "../support/flow.js";
import type { FlowReplicas } from "../support/flow-replicas.js";
import { StubService } from "../support/stub-service.js";
import { GovernedClient, WAIT_MS, type Place } from "./governed.js";
import { NaiveClient } from "./naive.js";
import { play, type Played } from "./play.js";
import type { Scale } from "./scale.js";

/** Both tenants together, and the modest one alone at a service of its own that breaks at the same time. */
export interface Run {
  readonly together: Played;
  readonly alone: Played;
  /** What reached the service while both were at it. */
  readonly stub: StubService;
}

export interface Spend {
  /** Tokens that the plans held at the start. */
  readonly planned: number;
  /** What is held and spent in the end, as the balances say. */
  readonly reserved: number;
  readonly spent: number;
}

export interface Story {
  readonly governed: Run;
  readonly spend: Spend;
  readonly naive: Run;
}

/** The same work with Holdfast and without it. The runs are side by side: they share the machine and no service. */
export async function tell(replicas: FlowReplicas, scale: Scale): Promise<Story> {
  const stubs = await Promise.all(Array.from({ length: 4 }, () => StubService.start(scale.perSecond)));
  const [stub, aloneStub, naiveStub, naiveAloneStub] = stubs as [StubService, StubService, StubService, StubService];
  try {
    const [governed, naive] = await Promise.all([
      tellGoverned(replicas, scale, [stub, aloneStub]),
      tellNaive(scale, [naiveStub, naiveAloneStub]),
    ]);
    return { ...governed, naive };
  } finally {
    await Promise.all(stubs.map((one) => one.stop()));
  }
}

type Stubs = readonly [together: StubService, alone: StubService];

async function tellGoverned(
  replicas: FlowReplicas,
  scale: Scale,
  [stub, aloneStub]: Stubs,
): Promise<Omit<Story, "naive">> {
  const { greedy: many, modest: few, perSecond, breaker } = scale;
  const queue = { max: many + few.lanes, maxWaitMs: WAIT_MS };
  const settings = { ratePerSecond: perSecond, burst: 1, queue, breaker };
  const placeAt = async (one: StubService): Promise<Place> => ({
    replicas,
    stub: one,
    service: await newService(replicas.at(0), settings),
  });
  const [place, alonePlace] = [await placeAt(stub), await placeAt(aloneStub)];
  const greedy = await GovernedClient.open(place, many, scale);
  const modest = await GovernedClient.open(place, few.accounts, scale);
  const alone = await GovernedClient.open(alonePlace, few.accounts, scale);
  const [together, byItself] = await Promise.all([
    play(stub, scale, { greedy, modest }),
    play(aloneStub, scale, { greedy: null, modest: alone }),
  ]);
  const settled = [await greedy.settle(), await modest.settle()];
  const spend = {
    planned: greedy.plannedTokens + modest.plannedTokens,
    reserved: settled[0]!.reserved + settled[1]!.reserved,
    spent: settled[0]!.spent + settled[1]!.spent,
  };
  return { governed: { together, alone: byItself, stub }, spend };
}

async function tellNaive(scale: Scale, [stub, aloneStub]: Stubs): Promise<Run> {
  const [client, aloneClient] = [stub, aloneStub].map((one) => new NaiveClient(one, scale.backOff)) as [
    NaiveClient,
    NaiveClient,
  ];
  const [together, alone] = await Promise.all([
    play(stub, scale, { greedy: client, modest: client }),
    play(aloneStub, scale, { greedy: null, modest: aloneClient }),
  ]);
  return { together, alone, stub };
}
