import { KeyCache, type KeyClaim, type KeyRow } from "./key-cache.js";

const row: KeyRow = { hash: "a", revoked: false, tenantDeleted: false };
const claim = (keyId: string): KeyClaim => ({ tenantId: "t", keyId });

function cacheAt(start: number, most = 100) {
  const time = { now: start };
  /** The keys of each read. */
  const reads: string[][] = [];
  const revoked = new Set<string>();
  const load = (claims: readonly KeyClaim[]) => {
    reads.push(claims.map(({ keyId }) => keyId));
    return Promise.resolve(claims.map(({ keyId }) => ({ ...row, revoked: revoked.has(keyId) })));
  };
  return { time, reads, revoked, cache: new KeyCache(load, most, () => time.now) };
}

describe("cached keys", () => {
  it("are loaded once for all who ask at the same time", async () => {
    const { reads, cache } = cacheAt(0);
    await Promise.all(Array.from({ length: 50 }, async () => cache.find(claim("k"))));
    expect(reads).toEqual([["k"]]);
  });

  it("are believed for a second after they were loaded, however much they are used", async () => {
    const { time, revoked, reads, cache } = cacheAt(5);
    await cache.find(claim("k"));
    revoked.add("k");
    for (time.now = 5; time.now < 1_005; time.now += 100) expect(cache.find(claim("k"))).toEqual(row);
    expect(await cache.find(claim("k"))).toEqual({ ...row, revoked: true });
    expect(reads).toHaveLength(2);
  });

  it("are loaded ahead of time, together with one that must be", async () => {
    const { time, revoked, reads, cache } = cacheAt(0);
    for (const key of ["a", "b", "idle"]) await cache.find(claim(key));
    time.now = 600;
    for (const key of ["a", "b"]) await cache.find(claim(key));
    revoked.add("b");
    await cache.find(claim("new"));
    expect(reads.at(-1)).toEqual(["new", "a", "b"]);
    expect(cache.find(claim("b"))).toEqual({ ...row, revoked: true });
    time.now = 1_599;
    expect(cache.find(claim("a"))).toEqual(row);
    expect(reads).toHaveLength(4);
  });

  it("cost a handful of reads, however many are in use", async () => {
    const { time, reads, cache } = cacheAt(0, 5_000);
    const keys = Array.from({ length: 1_000 }, (_, i) => claim(`k${i}`));
    for (const key of keys) await cache.find(key);
    const before = reads.length;
    for (time.now = 1; time.now <= 5_000; time.now += 100) for (const key of keys) await cache.find(key);
    expect(reads.length - before).toBeLessThanOrEqual(10);
  });

  it("are asked for again after a failure", async () => {
    let fails = true;
    const cache = new KeyCache(() => (fails ? Promise.reject(new Error("gone")) : Promise.resolve([row])));
    await expect(cache.find(claim("k"))).rejects.toThrow("gone");
    fails = false;
    expect(await cache.find(claim("k"))).toEqual(row);
  });

  it("push out the oldest one when there are too many", async () => {
    const { reads, cache } = cacheAt(0, 2);
    for (const key of ["a", "b", "c", "b", "a"]) await cache.find(claim(key));
    expect(reads.flat()).toEqual(["a", "b", "c", "a"]);
  });
});
