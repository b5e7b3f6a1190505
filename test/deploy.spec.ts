import { readdirSync, readFileSync } from "node:fs";
import { settingsTable } from "#libs/config";

/** What can be told of the chart without a cluster and without Helm; rendering it is left to those who have both. */

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const chart = "deploy/helm";
const templates = readdirSync(new URL(`../${chart}/templates`, import.meta.url)).map((file) =>
  read(`${chart}/templates/${file}`),
);

/** Every path of values.yaml, such as `api.autoscaling.enabled`: two blanks a level. */
function valuePaths(): string[] {
  const above: string[] = [];
  return [...read(`${chart}/values.yaml`).matchAll(/^( *)([a-zA-Z]+):/gm)].map(([, indent, name]) => {
    above.length = indent!.length / 2;
    above.push(name!);
    return above.join(".");
  });
}

describe("the chart", () => {
  it("takes only values that have a default, and has none that nothing takes", () => {
    const paths = valuePaths();
    const text = templates.join("\n");
    const taken = [...text.matchAll(/\.Values\.([a-zA-Z.]+)/g)].map(([, path]) => path!);
    expect(taken.filter((path) => !paths.includes(path))).toEqual([]);
    // A pod has the values of its part under another name.
    const parts = [...text.matchAll(/\.values\.([a-zA-Z]+)/g)].flatMap(([, name]) => [
      `api.${name}`,
      `reconciler.${name}`,
    ]);
    expect(parts.filter((path) => !paths.includes(path))).toEqual([]);
    const isTaken = (path: string) =>
      [...taken, ...parts].some((one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`));
    expect(paths.filter((path) => !isTaken(path))).toEqual([]);
  });

  it("sets only settings that there are, and probes only routes that there are", () => {
    const text = templates.join("\n");
    const known: string[] = Object.values(settingsTable).map(({ env }) => env);
    const set = [...text.matchAll(/name: (HOLDFAST_[A-Z_]+)/g)].map(([, name]) => name!);
    expect(set).toContain("HOLDFAST_DATABASE_URL");
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
    const { paths } = JSON.parse(read("openapi.json")) as { paths: object };
    const probed = [...text.matchAll(/path: (\/[a-z/]+)/g)].map(([, path]) => path!);
    expect(new Set(probed)).toEqual(new Set(["/health/live", "/health/ready", "/metrics"]));
    expect(probed.filter((path) => path !== "/metrics" && !(path in paths))).toEqual([]);
  });

  it("closes every block that it opens", () => {
    for (const text of templates) {
      const actions = [...text.matchAll(/\{\{-?\s*(?:\/\*.*?\*\/|(\w+).*?)\s*-?\}\}/gs)].map(([, word]) => word ?? "");
      const opened = actions.filter((word) => ["if", "with", "range", "define"].includes(word)).length;
      expect(actions.filter((word) => word === "end")).toHaveLength(opened);
    }
  });
});
