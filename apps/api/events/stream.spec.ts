import { EventStream, type Ending } from "./stream.js";

it("cuts off a client that does not read what it is sent, and keeps no more for it than so much", () => {
  const endings: Ending[] = [];
  const stream = new EventStream((ending) => endings.push(ending));
  const data = { text: "x".repeat(1_000) };
  let sent = 0;
  for (; endings.length === 0 && sent < 1_000; sent += 1) stream.send("changed", data);
  expect(endings).toEqual(["slow"]);
  expect(sent).toBeLessThan(300);
  expect(stream.body.destroyed).toBe(true);
});

it("lets what was sent before its end arrive, and ends once", async () => {
  const endings: Ending[] = [];
  const stream = new EventStream((ending) => endings.push(ending));
  stream.send("end", { code: "shutting_down" }, "a-1");
  stream.end("stopping");
  stream.end("client");
  stream.send("changed", {});
  let text = "";
  for await (const chunk of stream.body) text += String(chunk);
  expect(text).toBe('retry: 2000\n\nid: a-1\nevent: end\ndata: {"code":"shutting_down"}\n\n');
  expect(endings).toEqual(["stopping"]);
});
