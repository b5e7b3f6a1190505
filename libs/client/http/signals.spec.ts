import { getEventListeners } from "node:events";
import { linked, onAbort, sleep } from "./signals.js";

describe("a signal", () => {
  it("has one listener, however many wait for it, and tells each of them once", async () => {
    const { signal, abort } = linked();
    const heard: number[] = [];
    const forgets = Array.from({ length: 50 }, (_, i) => onAbort(signal, () => void heard.push(i)));
    const waits = Promise.allSettled([sleep(60_000, signal), sleep(60_000, linked(signal).signal)]);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    forgets.slice(1).forEach((forget) => forget());
    abort(new Error("stop"));
    abort(new Error("again"));
    expect(heard).toEqual([0]);
    expect((await waits).map((wait) => wait.status === "rejected" && (wait.reason as Error).message)).toEqual([
      "stop",
      "stop",
    ]);
  });

  it("that is aborted already tells at once", async () => {
    let heard = 0;
    onAbort(AbortSignal.abort(), () => (heard += 1));
    expect(heard).toBe(1);
    await expect(sleep(60_000, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(linked(AbortSignal.abort(new Error("stop"))).signal.reason).toMatchObject({ message: "stop" });
  });

  it("that is let go is followed no more", () => {
    const parent = linked();
    const child = linked(parent.signal);
    child.unlink();
    parent.abort(new Error("stop"));
    expect(child.signal.aborted).toBe(false);
  });
});
