import { Books } from "../../../../test/support/book.js";
import { MAX_LIFE_MS } from "./extend.js";

const deadline = (answer: Record<string, unknown>) => Date.parse(answer["expiresAt"] as string);

describe("extending", () => {
  it("moves the deadline to now + ttl and nothing else", () => {
    const books = new Books();
    const id = books.hold(100, { ttlMs: 60_000 });
    books.now += 30_000;
    expect(deadline(books.done(books.commands.extend(id, 60_000)))).toBe(books.now + 60_000);
    expect(books.tenant()).toEqual([100, 0]);
    books.now += 59_999;
    expect(books.done(books.commands.expire(id))).toEqual({ expired: false });
    books.now += 1;
    expect(books.done(books.commands.expire(id))).toEqual({ expired: true });
  });

  it("never makes the deadline earlier than it was", () => {
    const books = new Books();
    const id = books.hold(100, { ttlMs: 60_000 });
    const before = books.now + 60_000;
    expect(deadline(books.done(books.commands.extend(id, 1_000)))).toBe(before);
    books.now -= 3_600_000;
    expect(deadline(books.done(books.commands.extend(id, 60_000)))).toBe(before);
  });

  it("ends at the longest life since it was taken, however often it is asked", () => {
    const books = new Books();
    const id = books.hold(100, { ttlMs: 60_000 });
    const latest = books.now + MAX_LIFE_MS;
    for (let days = 0; days < 40; days += 1) {
      if (books.now >= latest) break;
      books.done(books.commands.extend(id, MAX_LIFE_MS));
      books.now += 86_400_000;
    }
    expect(books.refused(books.commands.extend(id, MAX_LIFE_MS)).code).toBe("reservation_expired");
    expect(books.book.reservations.find(id)?.expiresAt).toBe(latest);
  });

  it("comes too late from the deadline on, swept or not", () => {
    const books = new Books();
    const id = books.hold(100, { ttlMs: 1_000 });
    books.now += 1_000;
    expect(books.refused(books.commands.extend(id, 60_000)).code).toBe("reservation_expired");
  });

  it("of work of a job that is over is refused: it only runs out", () => {
    const books = new Books();
    const jobId = books.job();
    const id = books.hold(100, { jobId });
    books.done(books.commands.endJob(jobId, "cancelled"));
    expect(books.refused(books.commands.extend(id, 60_000)).code).toBe("job_not_open");
  });
});
