import { fileURLToPath } from "node:url";
import { freshFolder } from "../support/services.js";
import { makeMutant, simulate } from "./mutant.js";
import { MUTATIONS } from "./mutations.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the simulation finds, within 2 000 seeds, that", () => {
  it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
    "%s",
    async (_, mutation) => {
      const folder = freshFolder();
      await makeMutant(root, folder, mutation);
      const { code, output } = await simulate(folder, ["--first", `${mutation.firstSeed ?? 1}`, "--seeds", "2000"]);
      expect(output).toMatch(mutation.finds);
      expect(code).toBe(1);
    },
    120_000,
  );
});
