import type { Marks, Topic } from "./marks.js";

/** Those who hear of the same things: the operator, or one tenant. Remembers at which look each topic was told last. */
export class Audience {
  private marks: Partial<Marks> | null = null;
  private seenFrom = Infinity;
  /** The last look that it was told of. */
  seenAt = 0;
  private readonly toldAt = new Map<Topic, number>();
  private again: Topic[] = [];

  /** `twice`: the marks may move before the change can be seen, so what was told is told once more at the next look. */
  constructor(private readonly twice: boolean) {}

  /** Whether whatever changes from now on will be told. */
  get isWatched(): boolean {
    return this.marks !== null;
  }

  /** Takes what a look has found, and returns the topics to tell of. */
  see(look: number, marks: Partial<Marks>): Topic[] {
    const before = this.marks;
    this.marks = marks;
    this.seenAt = look;
    if (before === null) {
      this.seenFrom = look;
      return [];
    }
    const topics = Object.keys(marks) as Topic[];
    const changed = topics.filter((topic) => marks[topic] !== before[topic]);
    const told = topics.filter((topic) => changed.includes(topic) || this.again.includes(topic));
    this.again = this.twice ? changed : [];
    for (const topic of told) this.toldAt.set(topic, look);
    return told;
  }

  /** What was told after that look; null where not all of it is known. */
  since(look: number): Topic[] | null {
    if (look < this.seenFrom) return null;
    return [...this.toldAt].filter(([, at]) => at > look).map(([topic]) => topic);
  }
}
