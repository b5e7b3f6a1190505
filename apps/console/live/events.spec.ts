import { EventParser } from "./events.js";

it("finds the events in whatever pieces they come, and passes over comments", () => {
  const text =
    'retry: 2000\n\n:\n\nid: a-1\nevent: changed\ndata: {"topics":["jobs"]}\n\nevent: available\ndata: {}\n\n';
  const expected = [
    { event: "changed", data: '{"topics":["jobs"]}', id: "a-1" },
    { event: "available", data: "{}", id: null },
  ];
  for (const size of [1, 7, text.length]) {
    const parser = new EventParser();
    const told = [];
    for (let at = 0; at < text.length; at += size) told.push(...parser.push(text.slice(at, at + size)));
    expect(told).toEqual(expected);
  }
});
