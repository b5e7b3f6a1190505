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

  /** Every metric, also one without a sample yet. */
  get names(): string[] {
    return [...this.text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
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
