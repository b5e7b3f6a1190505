/** Values that are forgotten when nobody has used them for as long as they were to be kept. */
export class Shelf<T> {
  private readonly entries = new Map<string, { readonly value: T; until: number }>();
  private sweepAt = 64;

  constructor(private readonly make: () => T) {}

  get(key: string, keepMs: number, now: number): T {
    let entry = this.entries.get(key);
    if (!entry || entry.until <= now) {
      entry = { value: this.make(), until: now };
      if (this.entries.size >= this.sweepAt) this.sweep(now);
      this.entries.set(key, entry);
    }
    entry.until = Math.max(entry.until, now + keepMs);
    return entry.value;
  }

  get size(): number {
    return this.entries.size;
  }

  /** When the shelf has doubled since the last time, so that it costs next to nothing for each entry. */
  private sweep(now: number): void {
    for (const [key, { until }] of this.entries) if (until <= now) this.entries.delete(key);
    this.sweepAt = Math.max(64, 2 * this.entries.size);
  }
}
