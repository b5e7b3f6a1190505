import { within } from "./connect.js";

describe("the wait for a call", () => {
  it("ends in time", async () => {
    await expect(within(10, new Promise(() => undefined))).rejects.toThrow("Redis did not answer within 10 ms");
    expect(await within(1_000, Promise.resolve(1))).toBe(1);
  });

  it("drops the command from an error: that of a login holds the password", async () => {
    const command = { name: "hello", args: ["3", "AUTH", "default", "s3cret"] };
    const error = Object.assign(new Error("WRONGPASS"), { command });
    await expect(within(1_000, Promise.reject(error))).rejects.toEqual(new Error("WRONGPASS"));
    expect(JSON.stringify(Object.entries(error))).not.toContain("s3cret");
  });
});
