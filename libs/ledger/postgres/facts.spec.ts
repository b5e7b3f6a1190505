import { KnownFacts, type ReservationFacts } from "./facts.js";

const factsOf = (id: string) => ({ id, jobId: "job_1" }) as ReservationFacts;

describe("known facts", () => {
  it("are those of one tenant's reservation", () => {
    const known = new KnownFacts();
    known.learn("ten_1", factsOf("rsv_1"));
    expect(known.find("ten_1", "rsv_1")).toEqual(factsOf("rsv_1"));
    expect(known.find("ten_2", "rsv_1")).toBeUndefined();
  });

  it("are forgotten where too many others were learnt since", () => {
    const known = new KnownFacts(2);
    for (const id of ["rsv_1", "rsv_2", "rsv_1", "rsv_3"]) known.learn("ten_1", factsOf(id));
    expect(["rsv_1", "rsv_2", "rsv_3"].map((id) => known.find("ten_1", id)?.id)).toEqual(["rsv_1", undefined, "rsv_3"]);
  });
});
