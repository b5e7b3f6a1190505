import { PriceTable, totalTokens, type Usage } from "../costs/index.js";
import { meter, settlementOf, type Costing } from "./index.js";

const prices = new PriceTable({ m: { input: 1_000_000, output: 2_000_000 } });
const planned = { tokens: 500, usd_micros: 900 };
const costing = {
  planned,
  amounts: (usage: Usage) => ({ tokens: totalTokens(usage), usd_micros: prices.cost("m", usage) }),
};
const asPlanned = { actual: planned, estimated: true };
const start = { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } };
const text = { type: "content_block_delta" };
const delta = { type: "message_delta", usage: { output_tokens: 20 } };

async function* of<T>(parts: readonly T[], seen: { closed?: boolean } = {}): AsyncGenerator<T> {
  try {
    yield* parts;
  } finally {
    seen.closed = true;
  }
}

async function read<T>(stream: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) if (parts.push(part) >= most) break;
  return parts;
}

describe("meter", () => {
  it("passes every part on and settles what the stream told", async () => {
    const metered = meter(of([start, text, delta]), costing);
    expect(await read(metered.stream)).toEqual([start, text, delta]);
    expect(await metered.ended).toMatchObject({ actual: { tokens: 30, usd_micros: 50 }, estimated: false });
  });

  it("reads the bytes of a fetch's body and passes on a stream of the same kind", async () => {
    const body = `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20}}\n\ndata: [DONE]\n\n`;
    const metered = meter(new Response(body).body!, costing);
    expect(await new Response(metered.stream).text()).toBe(body);
    expect(await metered.ended).toMatchObject({ actual: { tokens: 30 }, estimated: false });
  });

  it("settles what was seen of a stream that is cancelled, and closes its source", async () => {
    const seen: { closed?: boolean } = {};
    const metered = meter(of([start, text, delta], seen), costing);
    await read(metered.stream, 2);
    expect(await metered.ended).toMatchObject({ actual: { tokens: 11, usd_micros: 12 }, estimated: false });
    expect(seen.closed).toBe(true);
  });

  it("cancels the source of a readable stream with the reason", async () => {
    let reason: unknown;
    const source = new ReadableStream({ pull: (out) => out.enqueue(start), cancel: (why) => void (reason = why) });
    const metered = meter(source, costing);
    const reader = metered.stream.getReader();
    await reader.read();
    await reader.cancel("enough");
    expect(reason).toBe("enough");
    expect(await metered.ended).toMatchObject({ actual: { tokens: 11 }, estimated: false });
  });

  it("settles the planned amounts, marked estimated, where no usage was seen", async () => {
    const metered = meter(of([text, text]), costing);
    expect(metered.settlement()).toMatchObject(asPlanned);
    await read(metered.stream);
    expect(await metered.ended).toEqual({ ...asPlanned, reason: "no usage was told", usage: "unknown" });
  });

  it("settles what was seen of a stream that fails, and passes its error on", async () => {
    async function* failing() {
      yield start;
      throw new Error("cut");
    }
    const metered = meter(failing(), costing);
    await expect(read(metered.stream)).rejects.toThrow("cut");
    expect(await metered.ended).toMatchObject({ actual: { tokens: 11 }, estimated: false });
    const source = new ReadableStream({ start: (out) => out.error(new Error("cut")) });
    const broken = meter(source, costing);
    await expect(broken.stream.getReader().read()).rejects.toThrow("cut");
    expect(await broken.ended).toMatchObject(asPlanned);
  });

  it("lets go of a reader that hangs when its signal aborts", async () => {
    const leave = new AbortController();
    const hanging = new ReadableStream({ start: (out) => out.enqueue(start) });
    const metered = meter(hanging, { ...costing, signal: leave.signal });
    const reader = metered.stream.getReader();
    await reader.read();
    const next = reader.read();
    leave.abort(new Error("gone"));
    await expect(next).rejects.toThrow("gone");
    expect(await metered.ended).toMatchObject({ actual: { tokens: 11 }, estimated: false });
    expect(await meter(of([start]), { ...costing, signal: leave.signal }).ended).toMatchObject(asPlanned);
    const late = meter(of([start]), { ...costing, signal: leave.signal });
    await expect(read(late.stream)).rejects.toThrow("gone");
    expect(await late.ended).toMatchObject(asPlanned);
  });

  it("stays as it ended: what is seen later changes nothing", async () => {
    const metered = meter(of([start, delta]), costing);
    const iterator = metered.stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    await iterator.next();
    expect(await metered.ended).toMatchObject({ actual: { tokens: 11 } });
    expect(metered.settlement()).toBe(await metered.ended);
  });
});

describe("settlement", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 20 };

  it("is what the usage comes to; an explicit 0 is 0", () => {
    expect(settlementOf({ usage }, costing)).toMatchObject({
      actual: { tokens: 30, usd_micros: 50 },
      estimated: false,
    });
    const nothing = { prompt_tokens: 0, completion_tokens: 0 };
    expect(settlementOf({ usage: nothing }, costing)).toMatchObject({
      actual: { tokens: 0, usd_micros: 0 },
      estimated: false,
    });
  });

  it("is the planned amounts, never 0, where the usage is unknown or its price is", () => {
    expect(settlementOf({}, costing)).toMatchObject(asPlanned);
    const unpriced = (used: Usage) => ({ usd_micros: prices.cost("x-typo", used) });
    expect(settlementOf({ usage }, { planned, amounts: unpriced })).toMatchObject({
      ...asPlanned,
      reason: 'the price table has no model "x-typo"',
    });
    for (const wrong of [NaN, -1, 0.5, "5", undefined]) {
      const amounts = (() => ({ tokens: 1, usd_micros: wrong })) as unknown as Costing["amounts"];
      expect(settlementOf({ usage }, { planned, amounts })).toMatchObject(asPlanned);
    }
  });

  it("settles a unit that the usage does not tell as planned, and says so", () => {
    expect(settlementOf({ usage }, { planned, amounts: (used) => ({ tokens: totalTokens(used) }) })).toMatchObject({
      actual: { tokens: 30, usd_micros: 900 },
      estimated: true,
      reason: "the usage was not told in usd_micros",
    });
  });

  it("names the planned units and no others, since a settle takes no others", () => {
    const { actual } = settlementOf({ usage }, { planned: { tokens: 5 }, amounts: costing.amounts });
    expect(actual).toEqual({ tokens: 30 });
  });
});
