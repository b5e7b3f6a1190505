/** What Prometheus would read of a process. */
export class Figures {
  private constructor(
    readonly text: string,
    private readonly samples: readonly Sample[],
  ) {}

  static of(text: string): Figures {
    const samples = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = "", value]) => ({
      name: name!,
      labels: Object.fromEntries([...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, is]) => [label!, is!])),
      value: Number(value),
    }));
    return new Figures(text, samples);
  }

  /** Every metric and its kind, also one without a sample yet. */
  get kinds(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name!, kind!]),
    );
  }

  /** The labels that any sample has: those of a metric, with the buckets, sum and count of a histogram. */
  labelsOf(metric: string): string[] {
    const named = new RegExp(`^${metric}(_bucket|_sum|_count)?$`);
    const found = this.samples.filter(({ name }) => named.test(name)).flatMap(({ labels }) => Object.keys(labels));
    return [...new Set(found)].filter((label) => label !== "le");
  }

  /** The sum of what has these labels; undefined where nothing has. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.samples.filter(
      (sample) => sample.name === name && Object.entries(labels).every(([label, is]) => sample.labels[label] === is),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** The values that a label has. */
  valuesOf(label: string): string[] {
    return [...new Set(this.samples.flatMap(({ labels }) => labels[label] ?? []))];
  }
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
