/** What stands for all values beyond the bound. */
export const OTHER = "other";

/**
 * Keeps a label from growing without end: the first so many values are themselves, and every later one is `other`. A
 * value that was told apart once stays so.
 */
export class Bounded {
  private readonly known = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.most) return OTHER;
    this.known.add(value);
    return value;
  }
}
