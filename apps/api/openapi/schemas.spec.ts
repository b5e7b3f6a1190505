import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Schema {
  readonly properties: Readonly<Record<string, unknown>>;
}

const file = fileURLToPath(new URL("../../../openapi.json", import.meta.url));
const document = JSON.parse(readFileSync(file, "utf8")) as {
  components: { schemas: Readonly<Record<string, Schema>> };
};

describe("the schemas of openapi.json", () => {
  it("tell a live process and the live state of a service apart", () => {
    const { LiveView, ServiceLiveView } = document.components.schemas;
    expect(Object.keys(LiveView!.properties)).toEqual(["status"]);
    expect(Object.keys(ServiceLiveView!.properties)).toContain("breaker");
  });

  it("say of a figure that may be missing that it may be null, not that it is a list", () => {
    const { places, tokens, adaptiveLimit } = document.components.schemas["ServiceLiveView"]!.properties;
    const maybe = expect.objectContaining({ type: ["integer", "null"], minimum: 0 });
    expect([places, tokens, adaptiveLimit]).toEqual([maybe, maybe, maybe]);
  });
});
