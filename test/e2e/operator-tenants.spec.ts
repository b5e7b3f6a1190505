import { startHoldfast, type Holdfast } from "../support/http.js";
import { pages, rowsOf, type Row } from "../support/lists.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

describe("what the operator does to a tenant", () => {
  it("is journalled newest first with who, when and why, where it changed something", async () => {
    const tenant = await holdfast.tenant();
    await tenant.admin("POST", "/suspend", { reason: "unpaid" });
    await tenant.admin("POST", "/suspend", { reason: "again" });
    await tenant.admin("POST", "/resume");
    await tenant.admin("PATCH", "", { enforcement: "observe", reason: "a trial" });
    await tenant.admin("PATCH", "", { name: "b" });
    const shown = [
      { act: "observe", actor: "operator", reason: "a trial" },
      { act: "resume", actor: "operator" },
      { act: "suspend", actor: "operator", reason: "unpaid" },
    ];
    const acts = await pages(tenant, "/acts", 1);
    expect(acts.map(({ id: _, at: __, ...act }) => act)).toEqual(shown);
    expect(acts.every(({ at }) => Date.parse(at as string) > 0)).toBe(true);
    await tenant.admin("DELETE", "?reason=gone+for+good");
    expect(rowsOf(await tenant.admin("GET", "/acts"))[0]).toMatchObject({ act: "delete", reason: "gone for good" });
  });

  it("of limits stands in the ledger with its reason", async () => {
    const tenant = await holdfast.tenant();
    await tenant.admin("PUT", "/allowances/tokens", { limit: 5, reason: "less" });
    await tenant.admin("PUT", "/users/ada/allowances/tokens", { limit: 3, reason: "for Ada" });
    const entries = rowsOf(await tenant.admin("GET", "/ledger?type=limit"));
    expect(entries.map(({ detail }) => (detail as Row)["reason"])).toEqual(["less", "for Ada"]);
  });

  it("of a user's own limit that is taken away binds it by the default at once, and is journalled once", async () => {
    const tenant = await holdfast.tenant({ userAllowance: { tokens: 100 } });
    const jobId = await tenant.job({ user: "ada" });
    await tenant.admin("PUT", "/users/ada/allowances/tokens", { limit: 3, period: "month" });
    expect((await tenant.reserve(jobId, 4)).status).toBe(402);
    const path = "/users/ada/allowances/tokens?reason=no%20trial%20any%20more";
    const [first, again] = [await tenant.admin("DELETE", path), await tenant.admin("DELETE", path)];
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect(first.body).toMatchObject({
      user: "ada",
      unit: "tokens",
      limit: 100,
      period: null,
      balance: { limit: 100 },
    });
    await tenant.openReservation({ jobId, tokens: 100 });
    expect((await tenant.reserve(jobId, 1)).body["scope"]).toEqual({ kind: "user", id: "ada" });
    expect(rowsOf(await tenant.admin("GET", "/users/ada/allowances"))).toEqual([]);
    const journalled = rowsOf(await tenant.admin("GET", "/ledger?type=limit")).map(({ detail }) => detail as Row);
    expect(journalled).toHaveLength(2);
    expect(journalled[1]).toMatchObject({ from: 3, to: 100, reason: "no trial any more" });
    expect((await tenant.admin("DELETE", "/users/ada/allowances/pages")).body.code).toBe("unit_unknown");
    expect((await tenant.admin("DELETE", "/users/ada/allowances/tokens?why=a")).status).toBe(400);
  });

  it.each([
    ["/suspend", { reason: 5 }, "/reason"],
    ["/suspend", { reason: "" }, "/reason"],
    ["/resume", { why: "a" }, "/why"],
    ["/resume", { reason: "a".repeat(501) }, "/reason"],
  ])("with a body that is not right is 400 at %s %j", async (path, body, pointer) => {
    const tenant = await holdfast.tenant();
    const answer = await tenant.admin("POST", path, body);
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
    expect((answer.body["errors"] as Row[]).map((error) => error["pointer"])).toEqual([pointer]);
    expect((await tenant.admin("GET")).body.state).toBe("active");
  });
});

describe("the users of a tenant", () => {
  it("are all listed by pages with what was taken of their limits", async () => {
    const tenant = await holdfast.tenant({ userAllowance: { tokens: 100 } });
    const longest = "\u{1F600}".repeat(200);
    const names = ["ada", "Ada", "a b/c?", "%41", longest, `${longest.slice(2)}z`, "ünal", "'; --"];
    for (const [i, user] of names.entries()) {
      const id = await tenant.openReservation({ user, tokens: 10 + i });
      if (i % 2 === 0) await tenant.settle(id, i);
    }
    await tenant.setLimit(7, { user: "only a limit" });
    const users = await pages(tenant, "/users", 2);
    expect(users.map(({ user }) => user).sort()).toEqual([...names, "only a limit"].sort());
    for (const { user, balances } of users) expect(balances).toEqual(await tenant.balances(`user:${user as string}`));
    const own = users.filter(({ ownLimits }) => (ownLimits as string[]).length > 0);
    expect(own).toMatchObject([{ user: "only a limit", ownLimits: ["tokens"], balances: [{ limit: 7 }] }]);
  });

  it("are none of a new tenant, and stay listed of a deleted one", async () => {
    const tenant = await holdfast.tenant();
    expect((await tenant.admin("GET", "/users")).body).toEqual({ data: [], nextCursor: null });
    await tenant.openReservation({ user: "ada" });
    await tenant.admin("DELETE");
    expect(rowsOf(await tenant.admin("GET", "/users"))).toMatchObject([{ user: "ada" }]);
    const nobody = await holdfast.admin("GET", `/v1/admin/tenants/ten_${"0".repeat(26)}/users`);
    expect(nobody.status).toBe(404);
  });

  it("have all their windows paged, however long their names are", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 }, calls: { limit: 100 } } });
    const user = "\u{1F600}".repeat(200);
    await tenant.openReservation({ user, body: { amounts: { tokens: 1, calls: 1 } } });
    const balances = await pages(tenant, `/balances?windows=all&scope=${encodeURIComponent(`user:${user}`)}`, 1);
    expect(balances.map(({ unit }) => unit)).toEqual(["calls", "tokens"]);
  });
});
