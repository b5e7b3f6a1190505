import fc from "fast-check";
import { readUsage, StreamUsage, totalTokens, UNKNOWN, type Usage } from "./index.js";

const none = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, inconsistent: false };

function streamed(...events: unknown[]) {
  const stream = new StreamUsage();
  for (const event of events) stream.see(event);
  return stream.usage;
}

describe("usage of a response", () => {
  it.each([
    ["a chat completion", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, { input: 10, output: 5 }],
    [
      "a chat completion with its cached tokens within the prompt",
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } },
      { input: 2, cacheRead: 8, output: 5 },
    ],
    [
      "a gateway that names the cache as Anthropic does and counts it within",
      { prompt_tokens: 10, completion_tokens: 5, cache_read_input_tokens: 4, cache_creation_input_tokens: 3 },
      { input: 3, cacheRead: 4, cacheWrite: 3, output: 5 },
    ],
    [
      "a response",
      { input_tokens: 10, input_tokens_details: { cached_tokens: 8, cache_write_tokens: 1 }, output_tokens: 5 },
      { input: 1, cacheRead: 8, cacheWrite: 1, output: 5 },
    ],
    [
      "a message with its cached tokens beside the input",
      { input_tokens: 10, cache_read_input_tokens: 8, cache_creation_input_tokens: null, output_tokens: 5 },
      { input: 10, cacheRead: 8, output: 5 },
    ],
    [
      "a message that wrote to the cache of an hour",
      {
        input_tokens: 1,
        output_tokens: 2,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      },
      { input: 1, cacheWrite: 10, cacheWrite1h: 20, output: 2 },
    ],
    ["embeddings, which generate nothing", { prompt_tokens: 10, total_tokens: 10 }, { input: 10 }],
    [
      "reasoning that only the total counts",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 },
      { input: 10, output: 30 },
    ],
    ["an explicit 0", { input_tokens: 0, output_tokens: 0 }, {}],
  ])("reads %s", (_, usage, expected) => {
    expect(readUsage({ usage })).toEqual({ ...none, ...expected });
  });

  it("holds the input at 0 and says so where more is cached than the prompt has", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 12 } };
    expect(readUsage({ usage })).toEqual({ ...none, cacheRead: 12, output: 1, inconsistent: true });
  });

  it.each([
    undefined,
    null,
    5,
    "usage",
    [],
    {},
    { usage: null },
    { usage: {} },
    { usage: [] },
    { usage: { input: 5 } },
  ])("is unknown in %p, not 0", (response) => expect(readUsage(response)).toBe(UNKNOWN));

  it("is unknown where the prompt or the output is not told", () => {
    expect(readUsage({ usage: { prompt_tokens: 5 } })).toBe(UNKNOWN);
    expect(readUsage({ usage: { completion_tokens: 5, prompt_tokens: null } })).toBe(UNKNOWN);
    expect(readUsage({ usage: { output_tokens: 5 } })).toBe(UNKNOWN);
    expect(readUsage({ usage: { input_tokens: 5 } })).toBe(UNKNOWN);
  });

  it.each([-1, -0, 0.5, NaN, Infinity, 2 ** 53, "1", [], [5], {}, true, ""])("coerces no %p", (wrong) => {
    const wrongs = [
      { prompt_tokens: wrong, completion_tokens: 5 },
      { prompt_tokens: 5, completion_tokens: wrong },
      { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: wrong } },
      { input_tokens: 5, output_tokens: 5, cache_read_input_tokens: wrong },
    ];
    for (const usage of wrongs) expect(readUsage({ usage })).toBe(UNKNOWN);
  });

  it("counts every token of the whole once, whatever the numbers", () => {
    const count = fc.integer({ min: 0, max: 2 ** 50 });
    fc.assert(
      fc.property(count, count, count, count, (fresh, read, write, output) => {
        const beside = {
          input_tokens: fresh,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: write,
          output_tokens: output,
        };
        const within = {
          input_tokens: fresh + read + write,
          input_tokens_details: { cached_tokens: read, cache_write_tokens: write },
          output_tokens: output,
        };
        const usage = readUsage({ usage: beside }) as Usage;
        expect(readUsage({ usage: within })).toEqual(usage);
        expect(totalTokens(usage)).toBe(fresh + read + write + output);
      }),
    );
  });
});

describe("usage of a stream", () => {
  const text = { type: "content_block_delta", delta: { text: "hello" } };
  const start = {
    type: "message_start",
    message: { usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 } },
  };

  it("reads the last chunk of a chat completion", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
    expect(streamed({ choices: [{}], usage: null }, { choices: [], usage })).toMatchObject({ input: 2, output: 5 });
  });

  it("reads the end of a response", () => {
    const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 8 }, output_tokens: 5 };
    const events = [
      { type: "response.created", response: { usage: null } },
      { type: "response.completed", response: { usage } },
    ];
    expect(streamed(...events)).toMatchObject({ input: 2, cacheRead: 8, output: 5 });
  });

  it("counts what grows once: it is told so far, not since", () => {
    const delta = (output_tokens: number, more = {}) => ({ type: "message_delta", usage: { output_tokens, ...more } });
    expect(streamed(start, text, delta(20), delta(50), delta(50))).toMatchObject({ input: 10, output: 50 });
    const repeated = { input_tokens: 10, cache_read_input_tokens: 4 };
    expect(streamed(start, delta(20, repeated))).toMatchObject({ input: 10, cacheRead: 4, output: 20 });
    const chunk = (completion_tokens: number) => ({ usage: { prompt_tokens: 7, completion_tokens } });
    expect(streamed(chunk(1), chunk(2), chunk(3))).toMatchObject({ input: 7, output: 3 });
  });

  it("is never lowered by a later word", () => {
    const output = (output_tokens: number) => ({ usage: { input_tokens: 1, output_tokens } });
    expect(streamed(output(500), output(100))).toMatchObject({ output: 500 });
  });

  it("keeps what was told of a stream that ends early, and is unknown where nothing was", () => {
    expect(streamed(start, text)).toMatchObject({ input: 10, cacheRead: 4, output: 1 });
    expect(streamed(text, { choices: [{ delta: { content: "a" } }] })).toBe(UNKNOWN);
    expect(streamed({ type: "message_delta", usage: { output_tokens: 20 } })).toBe(UNKNOWN);
  });

  it("trusts none of a stream's numbers once one was no count", () => {
    const wrong = { type: "message_delta", usage: { output_tokens: -5 } };
    expect(streamed(start, wrong)).toBe(UNKNOWN);
    expect(streamed(start, wrong, { type: "message_delta", usage: { output_tokens: 5 } })).toBe(UNKNOWN);
  });
});
