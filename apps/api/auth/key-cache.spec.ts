import { KeyCache, type KeyRow } from "./key-cache.js";

const row: KeyRow = { hash: "a", revoked: false, tenantDeleted: false };

function cacheAt(start: number, most = 100) {
  const time = { now: start };
  const asked: string[] = [];
  const answers: KeyRow[] = [];
  const load = (tenantId: string, keyId: string) => {
    asked.push(`${tenantId} ${keyId}`);
    return Promise.resolve(answers.shift() ?? row);
  };
  return { time, asked, answers, cache: new KeyCache(load, most, () => time.now) };
}

describe("cached keys", () => {
  it("are loaded once for all who ask at the same time", async () => {
    const { asked, cache } = cacheAt(0);
    await Promise.all(Array.from({ length: 50 }, async () => cache.find("t", "k")));
    expect(asked).toEqual(["t k"]);
  });

  it("are believed for a second after they were loaded, however much they are used", async () => {
    const { time, answers, asked, cache } = cacheAt(5);
    await cache.find("t", "k");
    answers.push({ ...row, revoked: true });
    for (time.now = 5; time.now < 1_005; time.now += 100) expect(cache.find("t", "k")).toEqual(row);
    expect(await cache.find("t", "k")).toEqual({ ...row, revoked: true });
    expect(asked).toHaveLength(2);
  });

  it("are asked for again after a failure", async () => {
    let fails = true;
    const cache = new KeyCache(() => (fails ? Promise.reject(new Error("gone")) : Promise.resolve(row)));
    await expect(cache.find("t", "k")).rejects.toThrow("gone");
    fails = false;
    expect(await cache.find("t", "k")).toEqual(row);
  });

  it("push out the oldest one when there are too many", async () => {
    const { asked, cache } = cacheAt(0, 2);
    for (const key of ["a", "b", "c", "b", "a"]) await cache.find("t", key);
    expect(asked).toEqual(["t a", "t b", "t c", "t a"]);
  });
});
