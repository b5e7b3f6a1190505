import { holdersOf, leaseIdOf, requestIdOf } from "./lease-id.js";

describe("the name of a lease", () => {
  it("says whose it is and which request it was given for, whatever the tenant is called", () => {
    const leases = ["a", "a@b", "ä%40"].flatMap((tenantId) =>
      ["att_1", "att_2"].map((id) => leaseIdOf({ id, tenantId })),
    );
    expect(leases.map(requestIdOf)).toEqual(["att_1", "att_2", "att_1", "att_2", "att_1", "att_2"]);
    expect(holdersOf([...leases, leases[0]!])).toEqual({ a: 3, "a@b": 2, "ä%40": 2 });
  });

  it("of before it said so is nobody's", () => {
    expect(requestIdOf("att_1")).toBe("att_1");
    expect(holdersOf(["att_1"])).toEqual({});
  });
});
