import { readFileSync } from "node:fs";
import { problemBody, problemHeaders } from "./problem.js";
import { kindOf, PROBLEM_CODES } from "./table.js";

const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
const openapi = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");

describe("problem codes", () => {
  it("have a section each in docs/errors.md, with their status, and no others do", () => {
    const sections = [...page.matchAll(/^### `(\w+)` \((\d+)\)$/gm)].map(([, code, status]) => [code, Number(status)]);
    expect(sections.sort()).toEqual(PROBLEM_CODES.map((code) => [code, kindOf(code).status]).sort());
  });

  it("are the ones that openapi.json names", () => {
    const { components } = JSON.parse(openapi) as { components: { schemas: Record<string, { properties: object }> } };
    expect(components.schemas.ProblemView!.properties).toMatchObject({ code: { enum: PROBLEM_CODES } });
  });

  it("say when to come back, in header and body alike, where a client has to wait", () => {
    for (const code of PROBLEM_CODES) {
      const { status } = kindOf(code);
      const waits = status === 429 || status === 503;
      const body = problemBody(code, { detail: "." }, "/") as { retryAfter?: number };
      expect(body.retryAfter).toBe(waits ? 1 : undefined);
      expect(problemHeaders(code)["retry-after"]).toBe(waits ? "1" : undefined);
    }
  });

  it("tell SDKs not to repeat what was denied for good", () => {
    const terminal = PROBLEM_CODES.filter((code) => problemHeaders(code)["x-should-retry"] === "false");
    expect(terminal).toEqual(PROBLEM_CODES.filter((code) => kindOf(code).status === 402));
  });
});
