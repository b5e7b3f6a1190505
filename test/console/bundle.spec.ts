import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const assets = fileURLToPath(new URL("../../dist/apps/console/assets/", import.meta.url));
const bytes = (file: string): number => statSync(assets + file).size;

describe("the bundle of the console", () => {
  it("is below 350 kB packed, and what the lab needs below 200 kB", () => {
    const packed = readdirSync(assets).filter((file) => file.endsWith(".gz"));
    const first = packed.filter((file) => file.startsWith("index-"));
    const sum = (files: readonly string[]): number => files.reduce((total, file) => total + bytes(file), 0);
    expect(first).toHaveLength(2);
    expect(sum(packed)).toBeLessThan(350_000);
    expect(sum(first)).toBeLessThan(200_000);
  });
});
