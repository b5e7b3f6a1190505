import type { Random } from "../support/random.js";
import { type Actor, type Scheduler } from "./scheduler.js";

/**
 * - `open`: what is sent arrives.
 * - `cut`: connections break, and both ends know it.
 * - `hung`: nothing passes; what was sent arrives late or never.
 * - `deaf`: what is sent arrives, what is answered is lost.
 */
export type WireState = "open" | "cut" | "hung" | "deaf";

/** The far end, or the way to it, is gone: nothing is known about what was sent. */
export class Unreachable extends Error {}

export interface Call<T> {
  readonly caller: Actor;
  readonly server: Actor;
  /** Longest wait, milliseconds. */
  readonly timeoutMs: number;
  /** Runs at the server when the call arrives; it may answer later. */
  readonly work: () => Promise<T>;
}

/** The way of one process to one server. */
export class Wire {
  state: WireState = "open";
  /** A multiple of the usual time that messages take. */
  slowness = 1;
  /** Calls whose answers have not left the server yet, or are on their way back: what a cut ends. */
  private readonly open = new Set<() => void>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    /** How long a message takes that takes long, milliseconds. */
    private readonly tailMs: number,
  ) {}

  /** Breaks every connection; what is under way in either direction is lost, and the callers know it. */
  cut(): void {
    for (const lose of this.open) lose();
    this.open.clear();
  }

  /** @throws Unreachable, and what the work throws. */
  call<T>({ caller, server, timeoutMs, work }: Call<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const failSoon = (why: string): void =>
        void this.scheduler.after(this.latency(), () => reject(new Unreachable(why)), caller);
      if (this.state === "cut" || !server.alive) return failSoon("connection refused");
      let lost = false;
      const lose = (): void => {
        lost = true;
        failSoon("connection lost");
      };
      this.open.add(lose);
      const timeout = this.scheduler.after(
        timeoutMs,
        () => close(() => reject(new Unreachable("no answer in time"))),
        caller,
      );
      const close = (settle: () => void): void => {
        timeout.dropped = true;
        if (this.open.delete(lose)) settle();
      };
      const answer = (settle: () => void): void => {
        if (this.state === "open") this.scheduler.after(this.latency(), () => close(settle), caller);
      };
      const arrive = (): void => {
        // Also when the caller has given up: a server that was frozen does what was sent to it before.
        if (lost) return;
        void work().then(
          (value) => answer(() => resolve(value)),
          (error: Error) => answer(() => reject(error)),
        );
      };
      this.deliver(arrive, server);
    });
  }

  /** A message that nobody waits for. */
  tell(server: Actor, work: () => void): void {
    if (this.state !== "cut") this.deliver(work, server);
  }

  private deliver(arrive: () => void, server: Actor): void {
    if (this.state !== "hung") return void this.scheduler.after(this.latency(), arrive, server);
    const late = this.random.chance(0.5);
    if (late) this.scheduler.after(this.random.between(200, 4_000), arrive, server);
  }

  /** Mostly a fraction of a millisecond, now and then much more. */
  private latency(): number {
    const { random } = this;
    const usual = random.between(0.05, 0.6);
    const tail = random.chance(0.08) ? random.between(1, this.tailMs) : 0;
    return (usual + tail) * this.slowness;
  }
}
