import { figuresOf, sumOf } from "./metrics.js";

const text = `# HELP a_total What it counts.
# TYPE a_total counter
a_total{unit="tokens",outcome="done"} 12
a_total{unit="calls",outcome="done"} 3
a_total{unit="x",outcome="a \\"b\\" \\\\ {c}\\nd"} 1
bare 4.5
late 7 1767225600000
nothing NaN
`;

describe("figures in the format of Prometheus", () => {
  it("are read with their labels, whatever stands in them", () => {
    const figures = figuresOf(text);
    expect(figures).toHaveLength(5);
    expect(figures[2]).toEqual({ name: "a_total", labels: { unit: "x", outcome: 'a "b" \\ {c}\nd' }, value: 1 });
    expect(figures.slice(3).map(({ name, value }) => [name, value])).toEqual([
      ["bare", 4.5],
      ["late", 7],
    ]);
  });

  it("are summed by name, and by what their labels say", () => {
    const figures = figuresOf(text);
    expect(sumOf(figures, "a_total")).toBe(16);
    expect(sumOf(figures, "a_total", ({ outcome }) => outcome === "done")).toBe(15);
    expect(sumOf(figures, "other_total")).toBe(0);
  });
});
