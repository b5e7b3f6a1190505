import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as client from "#libs/client";
import { TENANT_TOPICS } from "../../apps/api/events/marks.js";
import { broken, json, problem, ScriptedServer, silent } from "../support/scripted-server.js";
import { reasonOf } from "./world.js";

let server: ScriptedServer;
/** Where the client said that it was, of each request. */
let from: (string | undefined)[] = [];

beforeAll(async () => {
  server = await ScriptedServer.start();
});
beforeEach(() => void (from = []));
afterAll(() => server.stop());

const holdfast = (retries = { baseMs: 1, mostMs: 1_000 }): client.Holdfast =>
  new client.Holdfast({ baseUrl: server.url, apiKey: "the-key", retries });

/** A stream that tells this; it stays open unless it `ends`. */
const stream =
  (text: string, { ends = false } = {}) =>
  (response: ServerResponse, { headers }: IncomingMessage): void => {
    from.push(headers["last-event-id"] as string | undefined);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).write(text);
    if (ends) response.end();
  };

const BEGUN = "retry: 2000\n\nid: a-1\nevent: everything\ndata: {}\n\n";
const CHANGED = 'id: a-7\nevent: changed\ndata: {"topics":["jobs"]}\n\n';
const gone = problem(401, "unauthenticated", false);

it("knows every topic that a tenant is told of, and no other", () => {
  // The type sets the names here.
  const known: Record<client.Topic, true> = { tenants: true, jobs: true, ledger: true, denials: true };
  expect(Object.keys(known)).toEqual([...TENANT_TOPICS]);
});

it("goes on where it was after whatever breaks the connection, and after any wait that is asked for", async () => {
  const busy = problem(503, "queue_full", true, { retryAfter: "1", scope: { kind: "tenant", id: "ten_1" } });
  const replies = [broken, json(502, {}), busy, stream(CHANGED, { ends: true }), gone];
  server.script(stream(BEGUN + ":\n\n", { ends: true }), ...replies);
  const told: client.TenantEvent[] = [];
  const error = await reasonOf(walk(holdfast().events(), (event) => void told.push(event)));
  expect(told).toEqual([{ type: "everything" }, { type: "changed", topics: ["jobs"] }]);
  expect(from).toEqual([undefined, "a-1"]);
  expect(error).toBeInstanceOf(client.Unauthenticated);
  const at = server.heard.map((heard) => heard.at);
  expect(at[4]! - at[3]!).toBeGreaterThanOrEqual(999);
});

it("waits longer and longer where each connection soon ends, though it was opened", async () => {
  const soon = stream(BEGUN, { ends: true });
  server.script(soon, soon, soon, gone);
  expect(await reasonOf(walk(holdfast().events()))).toMatchObject({ tries: 4 });
  server.script(soon, soon, soon, gone);
  // Here each has lived longer than the longest wait.
  expect(await reasonOf(walk(holdfast({ baseMs: 1, mostMs: 0 }).events()))).toMatchObject({ tries: 1 });
});

it.each([
  [gone, client.Unauthenticated],
  [problem(403, "forbidden", false), client.Forbidden],
  [problem(404, "not_found", false), client.NotFound],
  [json(404, { page: "of another program" }), client.UnexpectedAnswer],
  [json(200, {}), client.UnexpectedAnswer],
])("ends with the error of what is refused for good, asked once", async (reply, ErrorOfIt) => {
  server.script(reply);
  expect(await reasonOf(walk(holdfast().events()))).toBeInstanceOf(ErrorOfIt);
  expect(server.heard).toHaveLength(1);
});

it("passes over what it does not know, and what says that nothing has changed", async () => {
  const newer = 'event: newer\ndata: {"a":1}\n\nevent: changed\ndata: {"topics":[]}\n\n';
  const away = 'event: unavailable\ndata: {"what":["record"]}\n\nevent: available\ndata: {}\n\n';
  server.script(stream(newer + away, { ends: true }), gone);
  const told: client.TenantEvent[] = [];
  await reasonOf(walk(holdfast().events(), (event) => void told.push(event)));
  expect(told).toEqual([{ type: "unavailable", what: ["record"] }, { type: "available" }]);
});

it("ends with the reason of an aborted signal: before, while nothing is told, and in a wait", async () => {
  const reason = new Error("enough");
  for (const reply of [stream(""), silent, problem(503, "shutting_down", true, { retryAfter: "30" })]) {
    server.script(reply);
    const abort = new AbortController();
    const ended = reasonOf(walk(holdfast().events({ signal: abort.signal })));
    while (server.heard.length === 0) await new Promise(setImmediate);
    abort.abort(reason);
    expect(await ended).toBe(reason);
  }
  server.script(gone);
  expect(await reasonOf(walk(holdfast().events({ signal: AbortSignal.abort(reason) })))).toBe(reason);
  expect(server.heard).toHaveLength(0);
});

it("closes the connection when the loop is left", async () => {
  let closed: Promise<unknown> | undefined;
  server.script((response, request) => {
    closed = once(response, "close");
    stream(BEGUN)(response, request);
  });
  for await (const { type } of holdfast().events()) {
    expect(type).toBe("everything");
    break;
  }
  await closed;
});

async function walk<T>(all: AsyncIterable<T>, each: (one: T) => void = () => undefined): Promise<void> {
  for await (const one of all) each(one);
}
