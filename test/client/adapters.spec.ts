import { setTimeout as sleep } from "node:timers/promises";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import { Denied, Holdfast as Client, type Job } from "#libs/client";
import { bookedModel } from "../../libs/client/adapters/ai.js";
import { bookedCallbacks } from "../../libs/client/adapters/langchain.js";
import { bookedOpenAI, refusalIn } from "../../libs/client/adapters/openai.js";
import { PriceTable, totalTokens, type Usage } from "../../libs/client/costs/index.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { StubModel, TOKENS } from "../support/stub-model.js";

const prices = new PriceTable({ known: { input: 1_000_000, cacheRead: 500_000, output: 2_000_000 } });
const COST = 6 + 2 + 40;
const planned = { tokens: 100, usd_micros: 100 };
const amounts = (usage: Usage, model: string) => ({
  tokens: totalTokens(usage),
  usd_micros: prices.cost(model, usage),
});
const messages = [{ role: "user" as const, content: "hello?" }];

let holdfast: Holdfast;
let stub: StubModel;
let tenant: HttpTenant;
let job: Job;
/** How long a settlement is on its way. */
let settleDelayMs: number;

beforeAll(async () => {
  [holdfast, stub] = await Promise.all([startHoldfast(), StubModel.start()]);
}, 60_000);
beforeEach(async () => {
  tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000 }, usd_micros: { limit: 1_000 } } });
  settleDelayMs = 0;
  const slowly: typeof globalThis.fetch = async (input, init) => {
    if (typeof input === "string" && input.endsWith("/settle")) await sleep(settleDelayMs);
    return fetch(input, init);
  };
  job = await new Client({ baseUrl: holdfast.url, apiKey: tenant.key, fetch: slowly }).openJob();
  stub.calls.length = 0;
  stub.onCall = () => undefined;
});
afterAll(async () => {
  await holdfast?.stop();
  await stub?.stop();
});

/** What the tenant has spent of each unit, once nothing is held. */
async function spent(): Promise<Record<string, number>> {
  let balances = await tenant.balances();
  while (balances.some(({ reserved }) => reserved > 0)) {
    await sleep(5);
    balances = await tenant.balances();
  }
  await tenant.expectAtRest();
  return Object.fromEntries(balances.map((balance) => [balance.unit, balance.spent]));
}

const USED = { tokens: TOKENS, usd_micros: COST };
const NOTHING = { tokens: 0, usd_micros: 0 };
const client = () => new OpenAI({ apiKey: "k", baseURL: stub.url, maxRetries: 2 });

describe("the client of openai", () => {
  const booked = () => bookedOpenAI(client(), { scope: job, planned, amounts });
  const asked = { model: "known", messages };
  const streamed = { ...asked, stream: true as const, stream_options: { include_usage: true } };

  it("settles what a completion used, its cached tokens once", async () => {
    let held: unknown;
    stub.onCall = async () => (held = await tenant.balance());
    const { choices } = await booked().chat.completions.create(asked);
    expect(choices[0]!.message.content).toBe("hello");
    expect(held).toMatchObject({ reserved: 100, spent: 0 });
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: TOKENS });
    expect(await spent()).toEqual(USED);
  });

  it("settles what a stream used before its reader is told of the end", async () => {
    settleDelayMs = 200;
    let text = "";
    for await (const { choices } of await booked().chat.completions.create(streamed)) {
      text += choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("hello");
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: TOKENS });
    expect(await spent()).toEqual(USED);
  });

  it("books the client's helpers as well", async () => {
    expect(await booked().chat.completions.stream(streamed).finalContent()).toBe("hello");
    expect(await spent()).toEqual(USED);
  });

  it.each([
    ["a stream that was not asked for its usage", { ...asked, stream: true as const }, false],
    ["a stream that its reader leaves before its usage was seen", { ...streamed, model: "hangs" }, true],
    ["a model without a price", { ...streamed, model: "x-typo" }, false],
  ])("settles %s as planned", async (_, request, leave) => {
    for await (const { choices } of await booked().chat.completions.create(request)) {
      if (leave && choices.length > 0) break;
    }
    expect(await spent()).toEqual(planned);
  });

  it("settles as planned what its caller aborts", async () => {
    const leaving = new AbortController();
    const call = (async () => {
      const stream = await booked().chat.completions.create(
        { ...streamed, model: "hangs" },
        { signal: leaving.signal },
      );
      for await (const _ of stream) leaving.abort();
    })();
    await call.catch(() => undefined);
    expect(await spent()).toEqual(planned);
  });

  it("settles nothing for what the provider refuses, the plan for what breaks, and asks once", async () => {
    await expect(booked().chat.completions.create({ ...asked, model: "refuses" })).rejects.toMatchObject({
      status: 400,
    });
    expect(await spent()).toEqual(NOTHING);
    await expect(booked().chat.completions.create({ ...asked, model: "breaks" })).rejects.toMatchObject({
      status: 500,
    });
    expect(await spent()).toEqual(planned);
    expect(stub.calls).toEqual(["refuses", "breaks"]);
  });

  it("calls nothing that is denied, and says why in the cause of its error", async () => {
    await tenant.setLimit(99);
    const error: unknown = await booked()
      .chat.completions.create(asked)
      .catch((reason: unknown) => reason);
    expect(refusalIn(error, Denied)).toMatchObject({ code: "exceeds_limit", limit: 99, requested: 100 });
    expect(refusalIn(error, RangeError)).toBeUndefined();
    expect(stub.calls).toEqual([]);
    expect(await spent()).toEqual(NOTHING);
  });

  it("tells a running attempt what all its calls used", async () => {
    const report = await job.fanOut(
      [1, 2],
      async (_, scope) => {
        const openai = bookedOpenAI(client(), { scope, planned: scope.planned, amounts });
        await openai.chat.completions.create(asked);
        for await (const _part of await openai.chat.completions.create(streamed));
      },
      { attemptCost: planned },
    );
    expect(report.results).toMatchObject([
      { status: "done", estimated: false },
      { status: "done", estimated: false },
    ]);
    expect(await spent()).toEqual({ tokens: 4 * TOKENS, usd_micros: 4 * COST });
  });
});

describe("a model of the AI SDK", () => {
  const usage = {
    inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
    outputTokens: { total: 20, text: 20, reasoning: 0 },
  };
  const finish = { type: "finish" as const, finishReason: { unified: "stop" as const, raw: "stop" }, usage };
  const parts = [
    { type: "stream-start" as const, warnings: [] },
    { type: "text-start" as const, id: "t" },
    { type: "text-delta" as const, id: "t", delta: "hello" },
    { type: "text-end" as const, id: "t" },
    finish,
  ];
  const content = [{ type: "text" as const, text: "hello" }];
  const bookedWith = (more: Partial<ConstructorParameters<typeof MockLanguageModelV3>[0]> = {}) => {
    const model = new MockLanguageModelV3({
      modelId: "known",
      doGenerate: { content, finishReason: finish.finishReason, usage, warnings: [] },
      doStream: async () => ({ stream: convertArrayToReadableStream(parts) }),
      ...more,
    });
    return { model, booked: wrapLanguageModel({ model, middleware: bookedModel({ scope: job, planned, amounts }) }) };
  };

  it("settles what a generation used, its cached tokens once", async () => {
    const { text } = await generateText({ model: bookedWith().booked, prompt: "hello?" });
    expect(text).toBe("hello");
    expect(await spent()).toEqual(USED);
  });

  it("settles what a stream used before its reader is told of the end", async () => {
    settleDelayMs = 200;
    expect(await streamText({ model: bookedWith().booked, prompt: "hello?" }).text).toBe("hello");
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: TOKENS });
    expect(await spent()).toEqual(USED);
  });

  it("settles as planned a stream that its caller aborts", async () => {
    const leaving = new AbortController();
    const open = new ReadableStream({ start: (out) => parts.slice(0, 3).forEach((part) => out.enqueue(part)) });
    const { booked } = bookedWith({ doStream: async () => ({ stream: open }) });
    const { textStream } = streamText({ model: booked, prompt: "hello?", abortSignal: leaving.signal });
    for await (const _ of textStream) leaving.abort();
    expect(await spent()).toEqual(planned);
  });

  it("throws what it is denied, once, and calls no model", async () => {
    await tenant.setLimit(99);
    const { model, booked } = bookedWith();
    await expect(generateText({ model: booked, prompt: "hello?" })).rejects.toBeInstanceOf(Denied);
    expect(model.doGenerateCalls).toEqual([]);
    expect(await spent()).toEqual(NOTHING);
  });

  it("settles as planned a generation that fails or does not tell what it used", async () => {
    const failing = bookedWith({ doGenerate: () => Promise.reject(new Error("no")) });
    await expect(generateText({ model: failing.booked, prompt: "hello?" })).rejects.toThrow("no");
    expect(await spent()).toEqual(planned);
    const silent = {
      inputTokens: { ...usage.inputTokens, total: undefined, noCache: undefined },
      outputTokens: usage.outputTokens,
    };
    const { booked } = bookedWith({
      doGenerate: { content, finishReason: finish.finishReason, usage: silent, warnings: [] },
    });
    await generateText({ model: booked, prompt: "hello?" });
    expect(await spent()).toEqual({ tokens: 200, usd_micros: 200 });
  });
});

describe("callbacks of LangChain", () => {
  class FixedModel extends BaseChatModel {
    constructor(private readonly failure: Error | undefined) {
      super({});
    }

    override _llmType(): string {
      return "fixed";
    }

    override async _generate() {
      if (this.failure) throw this.failure;
      const usage_metadata = {
        input_tokens: 10,
        output_tokens: 20,
        total_tokens: 30,
        input_token_details: { cache_read: 4 },
      };
      const message = Object.assign(new AIMessage("hello"), { usage_metadata });
      return { generations: [{ text: "hello", message }] };
    }
  }

  it.each([
    ["what each call used", undefined, { tokens: 2 * TOKENS, usd_micros: 2 * COST }],
    ["a call that fails as planned", new Error("no"), planned],
    [
      "nothing of a call that is refused",
      Object.assign(new Error("no"), { status: 400 }),
      { tokens: 0, usd_micros: 0 },
    ],
  ])("tell the running work %s", async (_, failure, expected) => {
    const work = job.withReservation(planned, async (scope) => {
      const costing = { planned, amounts: (usage: Usage) => amounts(usage, "known") };
      const callbacks = [bookedCallbacks({ scope, ...costing })];
      for (let call = 0; call < 2; call++) {
        await new FixedModel(failure).invoke("hello?", { callbacks, signal: scope.signal });
      }
    });
    await work.catch(() => undefined);
    expect(await spent()).toEqual(expected);
  });
});
