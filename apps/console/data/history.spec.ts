import { figuresOver } from "./history.js";

it("tells counts a second over all their labels, what was spent since the first step, what was measured as it was, and not the step that goes on", () => {
  const { work, amounts } = figuresOver({
    from: "2026-01-31T09:00:00.000Z",
    stepMs: 10_000,
    data: [
      { name: "admitted", label: "", values: [20, 0, 5] },
      { name: "shed", label: "queue_full", values: [1, 0, 0] },
      { name: "shed", label: "rate_limited", values: [2, 5, 0] },
      { name: "waiting", label: "", values: [4, null, 1] },
      { name: "reserved", label: "tokens", values: [700, 800, 900] },
      { name: "spent", label: "tokens", values: [7, 333, 0] },
      { name: "spent", label: "calls", values: [0, 1, 0] },
    ],
  });
  const at = Date.UTC(2026, 0, 31, 9);
  expect(work).toEqual([
    { at, admitted: 2, denied: 0, shed: 0.3, waiting: 4 },
    { at: at + 10_000, admitted: 0, denied: 0, shed: 0.5, waiting: null },
  ]);
  expect([...amounts.keys()]).toEqual(["calls", "tokens"]);
  expect(amounts.get("tokens")).toEqual([
    { at, reserved: 700, spent: 7 },
    { at: at + 10_000, reserved: 800, spent: 340 },
  ]);
});

it("has nothing to show of a history in which nothing happened", () => {
  const { work, amounts } = figuresOver({ from: "2026-01-31T09:00:00.000Z", stepMs: 10_000, data: [] });
  expect([work, amounts.size]).toEqual([[], 0]);
});
