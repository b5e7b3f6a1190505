import { nextTick } from "node:process";

/** Whatever runs code: a process or a server. What is due for one that is dead is dropped; a paused one gets it later. */
export interface Actor {
  readonly name: string;
  alive: boolean;
  /** Virtual time until which it stands still. */
  pausedUntil: number;
}

export function actor(name: string): Actor {
  return { name, alive: true, pausedUntil: 0 };
}

export interface Due {
  at: number;
  /** Nobody waits for it any more. */
  dropped?: true;
  /** Among those due at the same time, the order in which they were asked for. */
  readonly order: number;
  readonly actor: Actor | null;
  readonly run: () => void;
}

/**
 * Virtual time. One thing happens at a time, and before the next all promises that it settled have run, so a run depends
 * on nothing but what was asked for in which order.
 */
export class Scheduler {
  /** Milliseconds since the run began. */
  now = 0;
  steps = 0;
  private readonly heap: Due[] = [];
  private asked = 0;

  /** `actor` null: it happens whatever runs or stands still, as with clients and faults. */
  after(ms: number, run: () => void, by: Actor | null = null): Due {
    const due: Due = { at: this.now + Math.max(0, ms), order: this.asked++, actor: by, run };
    this.push(due);
    return due;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs until `isOver`, asked after every step, or until nothing is due any more. */
  async run(isOver: () => boolean): Promise<void> {
    for (let due = this.pop(); due; due = this.pop()) {
      if (due.dropped || (due.actor && !due.actor.alive)) continue;
      if (due.actor && due.actor.pausedUntil > due.at) {
        due.at = due.actor.pausedUntil;
        this.push(due);
        continue;
      }
      this.now = due.at;
      this.steps += 1;
      due.run();
      await new Promise<void>((resolve) => nextTick(resolve));
      if (isOver()) return;
    }
  }

  private push(due: Due): void {
    const { heap } = this;
    let i = heap.push(due) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(due, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = due;
  }

  private pop(): Due | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
