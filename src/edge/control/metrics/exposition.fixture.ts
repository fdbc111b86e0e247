/** Reads what `/metrics` answers, strictly as the format is defined: for tests of it, and of what is built upon it. */

export interface ExposedMetric {
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** By the text of their labels. */
  readonly samples: ReadonlyMap<string, number>;
  /** Of any sample; without `le`. */
  readonly labels: ReadonlySet<string>;
}

const LABEL = /([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"/g;
const SAMPLE = /^([a-z0-9_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** HELP and TYPE before the samples of a name, which stand together; throws with the line that is wrong. */
export function parseExposition(text: string): Map<string, ExposedMetric> {
  const metrics = new Map<string, ExposedMetric>();
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  let help: RegExpExecArray | null = null;
  let current: { name: string; samples: Map<string, number>; labels: Set<string>; isHistogram: boolean } | undefined;
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('# HELP ')) {
      help = /^# HELP ([a-z0-9_]+) (\S.*)$/.exec(line);
      continue;
    }
    const type = /^# TYPE ([a-z0-9_]+) (gauge|counter|histogram)$/.exec(line);
    if (type) {
      const name = type[1]!;
      if (metrics.has(name) || help?.[1] !== name) throw new Error(`twice, or without help: ${line}`);
      const [samples, labels] = [new Map<string, number>(), new Set<string>()];
      current = { name, samples, labels, isHistogram: type[2] === 'histogram' };
      metrics.set(name, { help: help[2]!, type: type[2] as ExposedMetric['type'], samples, labels });
      continue;
    }
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? [];
    const base = current?.isHistogram ? name.replace(/_(bucket|sum|count)$/, '') : name;
    const key = base === name ? labels : name.slice(base.length) + labels;
    if (!current || base !== current.name || current.samples.has(key)) throw new Error(`not a sample here: ${line}`);
    current.samples.set(key, Number(value));
    for (const [, label = ''] of labels.matchAll(LABEL)) if (label !== 'le') current.labels.add(label);
  }
  return metrics;
}
