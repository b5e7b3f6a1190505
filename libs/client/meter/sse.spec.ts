import fc from "fast-check";
import { EventReader } from "../http/sse.js";
import { usageEvents } from "./sse.js";

const events = [
  { usage: { prompt_tokens: 1, text: "ü\u2028" } },
  { usage: null, choices: ["a\r\nb"] },
  { usage: { output_tokens: 2 } },
];
const break_ = fc.constantFrom("\n", "\r\n", "\r");

function readAll(pieces: readonly (string | Uint8Array)[]): unknown[] {
  const reader = new EventReader();
  return usageEvents([...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()]);
}

describe("server-sent events", () => {
  it("are the same wherever the bytes are cut and however lines end", () => {
    fc.assert(
      fc.property(break_, fc.array(fc.nat(400)), fc.boolean(), (br, cuts, open) => {
        const text = [
          `: hello${br}${br}event: x${br}data: no json "usage"${br}${br}`,
          ...events.map((event) => `event: x${br}data: ${JSON.stringify(event)}${br}${br}`),
          ...(open ? [`data:{"usage":9}`] : [`data: [DONE]${br}${br}`]),
        ].join("");
        const bytes = new TextEncoder().encode(text);
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(readAll(pieces)).toEqual(open ? [...events, { usage: 9 }] : events);
      }),
    );
  });

  it("joins data that is written in several lines", () => {
    expect(readAll(['data: {"usage":\ndata: 5}\n\n'])).toEqual([{ usage: 5 }]);
    expect(readAll(['data: {"usage":\r', "\ndata: 5}\r", "\n\r", "\n"])).toEqual([{ usage: 5 }]);
  });

  it("passes over an event that is too long to hold, and reads on after it", () => {
    const part = "x".repeat(1_024 * 1_024);
    const long = [`data: {"usage": "`, ...Array.from({ length: 9 }, () => part), `"}\n`, `data: {"usage": 1}\n\n`];
    const many = Array.from({ length: 9 }, () => `data: "usage${part}"\n`);
    const next = `data: {"usage": 2}\n\n`;
    expect(readAll([...long, next])).toEqual([{ usage: 2 }]);
    expect(readAll([...many, `data: {"usage": 1}\n\n`, next])).toEqual([{ usage: 2 }]);
  });
});
