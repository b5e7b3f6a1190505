import { Shelf } from "./shelf.js";

describe("shelf", () => {
  it("keeps a value while it is used, and makes a new one after it was not", () => {
    const shelf = new Shelf<string[]>(() => []);
    shelf.get("a", 100, 0).push("kept");
    expect(shelf.get("a", 100, 99)).toEqual(["kept"]);
    expect(shelf.get("a", 100, 198)).toEqual(["kept"]);
    expect(shelf.get("a", 100, 298)).toEqual([]);
  });

  it("does not grow with what nobody uses any more", () => {
    const shelf = new Shelf<object>(() => ({}));
    for (let i = 0; i < 10_000; i++) shelf.get(`k${i}`, 10, i);
    expect(shelf.size).toBeLessThan(100);
  });
});
