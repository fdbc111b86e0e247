/** What expressions over heddle's numbers may name. */
import { everyMetric } from './metric-names.js';
import { namesIn } from './promql-names.js';

/** Of Prometheus and of node_exporter. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['up', []],
  ['ALERTS', ['alertname', 'alertstate', 'severity']],
  ['node_textfile_mtime_seconds', ['file']],
]);
/** That Prometheus adds to all. */
const ADDED = ['job', 'instance', 'le'];

/**
 * What an expression names and nobody exports, in words.
 * @param told labels that are told beside it
 */
export function unknownNames(expression: string, told: readonly string[] = []): readonly string[] {
  const exported = everyMetric();
  const { metrics, grouped } = namesIn(expression);
  const labelsOf = (name: string) => {
    const histogram = exported.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (histogram?.type === 'histogram') return [...histogram.labels, ...ADDED];
    const labels = exported.get(name)?.labels ?? OTHERS.get(name);
    return labels && [...labels, ...ADDED];
  };
  const known = new Set([...ADDED, ...[...metrics.keys()].flatMap((name) => labelsOf(name) ?? [])]);
  return [
    ...[...metrics].flatMap(([name, labels]) => {
      const has = labelsOf(name);
      if (!has) return [`nobody exports ${name}`];
      return [...labels].filter((label) => !has.includes(label)).map((label) => `${name} has no label ${label}`);
    }),
    ...[...grouped, ...told]
      .filter((label) => !known.has(label))
      .map((label) => `no metric here has the label ${label}`),
  ];
}
