import { totalTokens } from "../costs/index.js";
import { settle, type Settlement } from "../meter/settlement.js";
import { bookedFetch, type ModelCall, type RunningScope } from "./fetch.js";

const planned = { tokens: 100 };
const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 20 };
const request = { method: "POST", body: JSON.stringify({ model: "m" }) };

/** A booked fetch of one answer, within a piece of work; what that is told. */
function booked(answer: () => Response, plan: (call: ModelCall) => typeof planned = () => planned) {
  const told: { settlement(): Settlement }[] = [];
  const work = new AbortController();
  const scope: RunningScope = {
    planned,
    signal: work.signal,
    watch: (watched) => {
      told.push(watched);
      return watched;
    },
  };
  const inits: (RequestInit | undefined)[] = [];
  const fetch = bookedFetch(
    { scope, planned: plan, amounts: (used, model) => ({ tokens: model === "m" ? totalTokens(used) : 0 }) },
    async (_, init) => {
      inits.push(init);
      return answer();
    },
  );
  return { fetch, inits, work, told: () => told.map((watched) => watched.settlement()) };
}

const json = (body: unknown, init?: ResponseInit) => () => new Response(JSON.stringify(body), init);

describe("a booked fetch", () => {
  it("tells what a message used, and hands its answer on as it came", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip", "x-request-id": "r" };
    const { fetch, told } = booked(json({ usage }, { status: 201, headers }));
    const response = await fetch("http://a.test", request);
    expect(await response.json()).toEqual({ usage });
    expect([response.status, response.headers.get("x-request-id")]).toEqual([201, "r"]);
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(told()).toMatchObject([{ actual: { tokens: 35 }, estimated: false }]);
  });

  it("tells what a stream of messages used so far, also where it is left", async () => {
    const events = [
      { type: "message_start", message: { usage: { ...usage, output_tokens: 1 } } },
      { type: "message_delta", usage: { output_tokens: 20 } },
    ];
    const bytes = events.map((event) =>
      new TextEncoder().encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
    const body = () =>
      new ReadableStream({
        start: (out) => {
          for (const part of bytes) out.enqueue(part);
          out.close();
        },
      });
    const streaming = () => new Response(body(), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
    const whole = booked(streaming);
    await (await whole.fetch("http://a.test", request)).text();
    expect(whole.told()).toMatchObject([{ actual: { tokens: 35 }, estimated: false }]);
    const left = booked(streaming);
    const reader = (await left.fetch("http://a.test", request)).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(left.told()).toMatchObject([{ actual: { tokens: 16 }, estimated: false }]);
  });

  it.each([
    [400, 0, false],
    [429, 0, false],
    [503, 0, false],
    [529, 0, false],
    [408, 100, true],
    [500, 100, true],
    [200, 100, true],
  ])("tells of an answer of %i without a usage %i tokens", async (status, tokens, estimated) => {
    const { fetch, told } = booked(json({ error: "no" }, { status }));
    expect(await (await fetch("http://a.test", request)).json()).toEqual({ error: "no" });
    expect(told()).toMatchObject([{ actual: { tokens }, estimated }]);
  });

  it("tells the plan of the call where no answer came, and throws what was thrown", async () => {
    const { fetch, told } = booked(
      () => {
        throw new TypeError("fetch failed");
      },
      ({ model }) => ({ tokens: model === "m" ? 7 : 0 }),
    );
    await expect(fetch(new Request("http://a.test", { method: "POST" }), request)).rejects.toThrow("fetch failed");
    expect(told()).toEqual([settle("unknown", { planned: { tokens: 7 }, amounts: () => ({}) })]);
  });

  it("hears the work's signal and the caller's own", async () => {
    for (const who of ["work", "caller"]) {
      const caller = new AbortController();
      const { fetch, inits, work } = booked(json({ usage }));
      const answered = fetch("http://a.test", { ...request, signal: caller.signal });
      (who === "work" ? work : caller).abort();
      await answered;
      expect(inits[0]!.signal!.aborted).toBe(true);
    }
  });

  it("passes what posts nothing on as it is, and tells nothing of it", async () => {
    const { fetch, told, inits } = booked(json({ usage }));
    await fetch("http://a.test");
    await fetch(new Request("http://a.test", { method: "DELETE" }));
    expect([told(), inits]).toEqual([[], [undefined, undefined]]);
  });
});
