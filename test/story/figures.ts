import { doneBefore, servedAfterMs } from "./play.js";
import { idealMs, USED, type Scale } from "./scale.js";
import type { Run, Story } from "./story.js";

/** What is told of a run, with Holdfast or without. */
export interface Figures {
  readonly busiestSecond: number;
  /** Seconds in which more came than the service serves. */
  readonly secondsOver: number;
  readonly refused: number;
  readonly refusedAfterFirstSecond: number;
  readonly whileBroken: number;
  readonly requests: number;
  readonly wholeMs: number;
  readonly idealMs: number;
  readonly givenUp: number;
  /** Tokens that the requests used, by what the service did. */
  readonly used: number;
  /** The modest tenant's time over its time alone. */
  readonly slowed: number;
  /** The same until the service broke, by the calls that it got done. */
  readonly slowedBefore: number;
  /** From the end of the outage until the modest tenant was served again, milliseconds: with the other, and alone. */
  readonly servedAfterMs: number;
  readonly servedAfterAloneMs: number;
  readonly modestGivenUp: number;
}

export function figuresOf({ together, alone, stub }: Run, scale: Scale): Figures {
  const seconds = stub.perSecondOfClock();
  const broken = stub.countOf(503);
  return {
    busiestSecond: Math.max(...seconds),
    secondsOver: seconds.filter((calls) => calls > scale.perSecond).length,
    refused: stub.countOf(429),
    refusedAfterFirstSecond: stub.countOf(429, stub.calls[0]!.at + 1_000),
    whileBroken: broken,
    requests: stub.calls.length,
    wholeMs: together.wholeMs,
    idealMs: idealMs(scale),
    givenUp: (together.greedy?.givenUp ?? 0) + together.modest.givenUp,
    used: stub.countOf(200) * USED.succeeded + broken * USED.failed,
    slowed: together.modest.ms / alone.modest.ms,
    slowedBefore: doneBefore(alone.modest, scale) / doneBefore(together.modest, scale),
    servedAfterMs: servedAfterMs(together.modest, scale),
    servedAfterAloneMs: servedAfterMs(alone.modest, scale),
    modestGivenUp: together.modest.givenUp,
  };
}

/** Most calls that may reach the service while it is broken: those that open the breaker, and its probes. */
export function mostWhileBroken({ breaker, brokenMs }: Scale): number {
  return breaker.failures + breaker.probes * (brokenMs / breaker.resetMs + 1);
}

const rounded = (value: number): string => Math.round(value).toLocaleString("en");
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** The two runs side by side. */
export function table({ governed, naive, spend }: Story, scale: Scale): string[] {
  const [ours, theirs] = [figuresOf(governed, scale), figuresOf(naive, scale)];
  const rows: [string, (figures: Figures) => string][] = [
    ["requests that reached it", ({ requests }) => rounded(requests)],
    ["most in one second", ({ busiestSecond }) => rounded(busiestSecond)],
    [`seconds with more than ${scale.perSecond}`, ({ secondsOver }) => rounded(secondsOver)],
    ["429 seen", ({ refused }) => rounded(refused)],
    ["429 after the first second", ({ refusedAfterFirstSecond }) => rounded(refusedAfterFirstSecond)],
    ["calls while it was broken", ({ whileBroken }) => rounded(whileBroken)],
    [`time (ideal ${seconds(idealMs(scale))})`, ({ wholeMs }) => seconds(wholeMs)],
    ["calls given up", ({ givenUp }) => rounded(givenUp)],
    ["tokens used, by the service", ({ used }) => rounded(used)],
    ["modest: time over alone", ({ slowed }) => slowed.toFixed(2)],
    ["modest: before the outage", ({ slowedBefore }) => slowedBefore.toFixed(2)],
    ["modest: served after it", ({ servedAfterMs: ms }) => seconds(ms)],
    ["modest: the same alone", ({ servedAfterAloneMs: ms }) => seconds(ms)],
    ["modest: calls given up", ({ modestGivenUp }) => rounded(modestGivenUp)],
  ];
  return [
    row(["", "with Holdfast", "without"]),
    ...rows.map(([name, shown]) => row([name, shown(ours), shown(theirs)])),
    row(["tokens planned", rounded(spend.planned), "none"]),
    row(["tokens settled", rounded(spend.spent), "unknown"]),
    row(["tokens still held", rounded(spend.reserved), "none"]),
  ];
}

function row([name, ...cells]: readonly string[]): string {
  return name!.padEnd(30) + cells.map((cell) => cell.padStart(15)).join("");
}
