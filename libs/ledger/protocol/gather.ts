import type { Runtime } from "./runtime.js";

/**
 * Gathers the look-ups of one turn of the event loop into one call. Each key has one result, in order; a failed call
 * fails all who wait for it. At most `most` keys go into a call.
 */
export class Gather<Key, Value> {
  private waiting: { key: Key; resolve: (value: Value) => void; reject: (error: unknown) => void }[] = [];

  constructor(
    private readonly runtime: Pick<Runtime, "soon">,
    private readonly load: (keys: Key[]) => Promise<Value[]>,
    private readonly most = 512,
  ) {}

  find(key: Key): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) this.runtime.soon(() => this.flush());
      this.waiting.push({ key, resolve, reject });
    });
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (let i = 0; i < all.length; i += this.most) void this.call(all.slice(i, i + this.most));
  }

  private async call(waiting: typeof this.waiting): Promise<void> {
    try {
      const values = await this.load(waiting.map(({ key }) => key));
      waiting.forEach(({ resolve }, i) => resolve(values[i]!));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
