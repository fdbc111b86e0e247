import { expect, it } from 'vitest';
import { namesIn } from './promql-names.js';

it('names of an expression are its metrics, labels and groupings', () => {
  const { metrics, grouped } = namesIn(
    'sum by (instance, le) (rate(a_bucket{le="0.5",job=~"x(y)"}[5m])) / on (job) group_left (name) b_info > bool 0.5 and c unless d{x!="e{f"}',
  );
  expect([...metrics].map(([name, labels]) => [name, ...labels])).toEqual([
    ['a_bucket', 'le', 'job'],
    ['b_info'],
    ['c'],
    ['d', 'x'],
  ]);
  expect([...grouped]).toEqual(['instance', 'le', 'job', 'name']);
});
