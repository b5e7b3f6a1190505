import { patiently } from "./patiently.js";

function failing(times: number, error: Error): () => Promise<number> {
  let asked = 0;
  return () => ((asked += 1) <= times ? Promise.reject(error) : Promise.resolve(asked));
}

describe("a process that starts", () => {
  it("asks a record again that cannot be had", async () => {
    expect(await patiently(failing(2, new Error("Connection terminated due to connection timeout")))).toBe(3);
  });

  it("does not ask again what the record refused", async () => {
    const refused = Object.assign(new Error("no such table"), { code: "42P01" });
    await expect(patiently(failing(1, refused))).rejects.toBe(refused);
  });
});
