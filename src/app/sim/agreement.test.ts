import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../simulator/results/run-result.js';
import { readStudy } from './read-study.js';
import { runStudy } from './run-study.js';

/** What the public ns-3 model behind ConWeave made of the very flows: average and p99 slowdown. */
const NS3 = {
  ecmp: { average: 1.684, p99: 8.63 },
  letflow: { average: 1.64, p99: 8.17 },
  conga: { average: 1.478, p99: 6.47 },
  conweave: { average: 1.396, p99: 5.17 },
} as const;

const TIME_LIMIT = 300_000;

describe('agreement with ns-3', () => {
  const results = new Map<string, RunResult>();

  beforeAll(async () => {
    const study = readStudy(fileURLToPath(new URL('../../../studies/ali50-ns3.yaml', import.meta.url)));
    for (const scheme of study.schemes.filter(({ label }) => Object.hasOwn(NS3, label))) {
      results.set(scheme.label, (await runStudy(study, scheme, 1)).result);
    }
  }, TIME_LIMIT);

  it.each(Object.entries(NS3))('%s: slowdowns', (scheme, { average, p99 }) => {
    const { slowdown, flows } = results.get(scheme)!;
    expect(flows).toMatchObject({ count: 19_355, finished: 19_355 });
    expect(Math.abs(slowdown!.average / average - 1)).toBeLessThan(0.05);
    expect(Math.abs(slowdown!.p99 / p99 - 1)).toBeLessThan(0.1);
  });

  it('the order of schemes, and the number of packets', () => {
    const averages = Object.keys(NS3).map((scheme) => results.get(scheme)!.slowdown!.average);
    expect(averages).toEqual([...averages].sort((a, b) => b - a));
    expect(results.get('ecmp')!.packets).toMatchObject({ data: 790_277, resent: 0, 'out-of-order': 0 });
  });
});
