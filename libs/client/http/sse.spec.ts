import { EventReader, eventsIn } from "./sse.js";

it("finds events with their names and ids in whatever pieces they come, and passes over comments", () => {
  const text =
    'retry: 2000\n\n:\n\nid: a-1\nevent: changed\ndata: {"topics":["jobs"]}\n\nevent:available\ndata:{}\n\ndata: ü\n\n';
  const expected = [
    { event: "changed", data: '{"topics":["jobs"]}', id: "a-1" },
    { event: "available", data: "{}", id: undefined },
    { event: "message", data: "ü", id: undefined },
  ];
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, bytes.length]) {
    const reader = new EventReader();
    const told = [];
    for (let at = 0; at < bytes.length; at += size) told.push(...reader.read(bytes.subarray(at, at + size)));
    expect(told).toEqual(expected);
  }
});

it("gives a body up once nothing has come for so long", async () => {
  let given: unknown;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
    cancel: () => void (given = "up"),
  });
  const events = eventsIn(body, 20);
  expect((await events.next()).value).toMatchObject({ data: "1" });
  await expect(events.next()).rejects.toMatchObject({ name: "TimeoutError" });
  expect(given).toBe("up");
});
