import { newId } from "#libs/ledger";
import { Authenticator } from "./authenticator.js";
import { KeyCache, type KeyRow } from "./key-cache.js";
import { hashOf, newAdminKey, newTenantKey } from "./keys.js";

const tenantId = newId("ten");
const { key, id, hash } = newTenantKey(tenantId);
const admin = newAdminKey();

function callerOf(authorization: string | undefined, row: Partial<KeyRow> | null = {}) {
  const known = row && { hash, revoked: false, tenantDeleted: false, ...row };
  const cache = new KeyCache((claims) =>
    Promise.resolve(claims.map((claim) => (claim.tenantId === tenantId && claim.keyId === id ? known : null))),
  );
  const authenticator = new Authenticator(admin.hash, cache);
  return Promise.resolve().then(() => authenticator.callerOf(authorization));
}

describe("who sends a request", () => {
  it("is told by the key of a tenant, or by the operator's", async () => {
    expect(await callerOf(`Bearer ${key}`)).toEqual({ kind: "tenant", tenantId });
    expect(await callerOf(`bearer ${key}`)).toEqual({ kind: "tenant", tenantId });
    expect(await callerOf(`Bearer ${admin.key}`)).toEqual({ kind: "operator" });
  });

  it("stays unknown without a key, with a garbled, foreign or revoked one", async () => {
    const other = newTenantKey(tenantId).key;
    const headers = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Basic ${key}`,
      key,
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, -1)}`,
    ];
    for (const header of [...headers, `Bearer ${other}`, `Bearer ${key.toLowerCase()}`, "Bearer hfa_x"]) {
      await expect(callerOf(header)).rejects.toMatchObject({ code: "unauthenticated" });
    }
    await expect(callerOf(`Bearer ${key}`, null)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(callerOf(`Bearer ${key}`, { revoked: true })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(callerOf(`Bearer ${key}`, { hash: hashOf("x") })).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("finds nothing any more with the key of a deleted tenant, and is told so only with the right key", async () => {
    await expect(callerOf(`Bearer ${key}`, { tenantDeleted: true })).rejects.toMatchObject({ code: "not_found" });
    const wrong = { tenantDeleted: true, hash: hashOf("x") };
    await expect(callerOf(`Bearer ${key}`, wrong)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("is kept as a hash of the key", () => {
    expect(key).toMatch(/^hfk_[0-9A-Z]{26}_[0-9A-Z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(hash).toBe(hashOf(key));
    expect(hash).not.toContain(key.slice(-43));
  });
});
