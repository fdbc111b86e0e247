/** How metrics are made: each of one number of many things. */
import type { HistogramCounts } from '../measurements.js';
import type { Labels, Metric, Sample } from './text-format.js';

const PREFIX = 'heddle_';

export const gauge = (name: string, help: string, samples: Iterable<Sample>): Metric => ({
  ...{ name: PREFIX + name, help, type: 'gauge', samples },
});

export const counter = (name: string, help: string, samples: Iterable<Sample>): Metric => ({
  ...{ name: PREFIX + name, help, type: 'counter', samples },
});

/** With the name that every process has it under. */
export const common = ({ name, ...metric }: Metric): Metric => ({ ...metric, name: name.slice(PREFIX.length) });

export function histogram(name: string, help: string, { buckets, sum }: HistogramCounts): Metric {
  let total = 0;
  const samples: Sample[] = buckets.map(({ bound, count }) => {
    total += count;
    return { labels: { le: bound === Number.POSITIVE_INFINITY ? '+Inf' : bound }, value: total, suffix: '_bucket' };
  });
  samples.push({ labels: {}, value: sum, suffix: '_sum' }, { labels: {}, value: total, suffix: '_count' });
  return { name: PREFIX + name, help, type: 'histogram', samples };
}

/** One number without labels. */
export const one = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** Numbers of one label. */
export const by = (label: string, values: Iterable<readonly [string | number, number]>): readonly Sample[] =>
  [...values].map(([of, value]) => ({ labels: { [label]: of }, value }));

/** Samples of one value after another, of the items that have it. */
export function samplesOf<Item>(
  items: readonly Item[],
  labelsOf: (item: Item) => Labels,
): (value: (item: Item) => number | null) => readonly Sample[] {
  return (value) =>
    items.flatMap((item): Sample[] => {
      const number = value(item);
      return number === null ? [] : [{ labels: labelsOf(item), value: number }];
    });
}
