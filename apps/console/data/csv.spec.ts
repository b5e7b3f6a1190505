import { csvOf } from "./csv.js";

describe("a CSV", () => {
  it("quotes what would end a cell, and keeps formulas texts", () => {
    const rows = [["plain", 'say "hi"', "a,b", "two\nlines", "=1+1", "@x", undefined, -5]];
    expect(csvOf(["h"], rows)).toBe(`h\r\nplain,"say ""hi""","a,b","two\nlines",'=1+1,'@x,,-5\r\n`);
  });
});
