import { enter, head, leave, newQueue, rest, rouse, serve, SILENCE_MS, waitingIn, type Queue } from "./queue.js";

const most = { max: 2_000, tenantMax: 2_000 };

function join(queue: Queue, tenant: string, id: string, process = "one", now = 0): void {
  enter(queue, { tenant, id, process }, most, now);
}

/** Serves until the queue is empty or rests; the ids in the order in which they went. */
function drain(queue: Queue, now = 0): string[] {
  const served: string[] = [];
  for (let next = head(queue, now); next; next = head(queue, now)) {
    serve(queue, next);
    served.push(next.id);
  }
  return served;
}

describe("queue", () => {
  it("holds no more than its maximum, in all and for one tenant", () => {
    const queue = newQueue();
    const tight = { max: 3, tenantMax: 2 };
    const entered = ["a1", "a2", "a3", "b1", "b2"].map((id) =>
      enter(queue, { tenant: id[0]!, id, process: "one" }, tight, 0),
    );
    expect(entered).toEqual([null, null, "tenant", null, "service"]);
    expect(waitingIn(queue)).toBe(3);
  });

  it("serves a tenant with one waiter next but one, however many another has", () => {
    const queue = newQueue();
    for (let i = 0; i < 1_000; i++) join(queue, "greedy", `g${i}`);
    join(queue, "modest", "m");
    expect(drain(queue).indexOf("m")).toBe(1);
  });

  it("serves the waiters of a tenant in the order in which they came", () => {
    const queue = newQueue();
    for (const id of ["a1", "a2", "b1", "a3", "b2"]) join(queue, id[0]!, id);
    expect(drain(queue)).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  it("forgets a waiter that leaves: the one behind it is next, and nobody's turn changes", () => {
    const queue = newQueue();
    for (const id of ["a1", "a2", "b1", "c1"]) join(queue, id[0]!, id);
    leave(queue, { tenant: "a", id: "a1", process: "one" });
    expect(leave(queue, { tenant: "a", id: "a1", process: "one" })).toBe(false);
    leave(queue, { tenant: "b", id: "b1", process: "one" });
    expect(drain(queue)).toEqual(["a2", "c1"]);
    expect([queue.lines.size, queue.resting.size]).toEqual([0, 0]);
  });

  it("passes over a tenant that its own limits hold back, until it is roused or has rested", () => {
    const queue = newQueue();
    for (const id of ["a1", "b1", "b2"]) join(queue, id[0]!, id);
    rest(queue, "a", 1_000, 0);
    expect(head(queue, 0)?.id).toBe("b1");
    expect(head(queue, 1_000)?.id).toBe("a1");
    rouse(queue, "a");
    expect(head(queue, 0)?.id).toBe("a1");
  });

  it("lets go the waiters of a process that has fallen silent", () => {
    const queue = newQueue();
    join(queue, "a", "a1", "dead", 0);
    join(queue, "a", "a2", "alive", 10);
    expect(head(queue, SILENCE_MS)?.id).toBe("a2");
    expect(waitingIn(queue)).toBe(1);
  });
});
