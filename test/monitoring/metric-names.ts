/** The names of `/metrics`: those of an answer that has something of everything, and those that the page lists. */
import { readFileSync } from 'node:fs';
import { type ExposedMetric, parseExposition } from '../../src/edge/control/metrics/exposition.fixture.js';
import { metricLines } from '../../src/edge/control/metrics.js';
import { HANDLERS, MONITORING, SUMMARY } from '../../src/edge/control/samples.fixture.js';

export function everyMetricText(): string {
  const handlers = { ...HANDLERS, summary: () => ({ ...SUMMARY, monitoring: MONITORING }) };
  return [...metricLines(handlers, { prefixes: true, process: true })].join('');
}

export function everyMetric(): ReadonlyMap<string, ExposedMetric> {
  return parseExposition(everyMetricText());
}

/** From the table of docs/metrics.md: type, and labels in order of the alphabet. */
export function documentedMetrics(): Map<string, { readonly type: string; readonly labels: readonly string[] }> {
  const found = new Map<string, { type: string; labels: string[] }>();
  const page = readFileSync('docs/metrics.md', 'utf8');
  for (const [, name, type, labels] of page.matchAll(/^\| `([a-z0-9_]+)` \| (gauge|counter|histogram) \|([^|]*)\|/gm)) {
    if (found.has(name!)) throw new Error(`docs/metrics.md lists ${name} twice`);
    found.set(name!, { type: type!, labels: [...labels!.matchAll(/`([a-z]+)`/g)].map(([, label]) => label!).sort() });
  }
  return found;
}
