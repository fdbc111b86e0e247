/** The text format of Prometheus (version 0.0.4), of metrics as data. */

export type Labels = Readonly<Record<string, string | number>>;

/** A name without what comes before and after it: `bucket`, `sum` and `count` are the samples of a histogram. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly samples: Iterable<Sample>;
}

export function* metricText(metrics: Iterable<Metric>): Generator<string> {
  for (const { name, help, type, samples } of metrics) {
    yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { labels, value, suffix = '' } of samples) yield `${name}${suffix}${labelText(labels)} ${value}\n`;
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, (character) => `\\${character}`).replaceAll('\n', '\\n');
}
