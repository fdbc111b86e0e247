import { describe, expect, it } from 'vitest';
import { compare } from '../../../simulator/results/comparison.js';
import { FIGURES } from '../../../simulator/results/figures.js';
import { plainRun } from '../../../simulator/results/plain-run.fixture.js';
import { figuresNamed, renderComparison } from './comparison.js';
import { plainPaint } from './paint.js';

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);
const SCHEMES = ['ecmp', 'letflow gap=50', 'conweave', 'rlb'];

/** Numbers as wide as real ones, different for each seed. */
function runs(finished = 100) {
  return SEEDS.flatMap((seed) =>
    SCHEMES.map((scheme) => {
      const slowdown = { ...plainRun().slowdown!, average: 12 + seed * 1.37, p99: 123 + seed * 17.3 };
      return plainRun({
        scheme,
        seed,
        slowdown,
        jobTime: 1234 + 77.7 * seed,
        imbalance: slowdown,
        queue: { ...slowdown, p99: 5e6 + seed * 1e5 },
        flows: { count: 100, finished, octets: 1e9 },
        bySize: [
          { upTo: 4000, slowdown },
          { upTo: null, slowdown },
        ],
        packets: { ...plainRun().packets, marked: 17 * seed, 'congestion-notices': 12_345 + seed * 999 },
      });
    }),
  );
}

const options = (width: number) => ({ figures: FIGURES, width, paint: plainPaint });

describe('the table of a comparison', () => {
  it.each([80, 100, 120])('is no wider than %i columns with ten seeds, and has every figure once', (width) => {
    const lines = renderComparison(compare(runs()), options(width));
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    const heads = lines.filter((line) => line.startsWith('SCHEME'));
    expect(heads.length).toBeGreaterThan(4);
    for (const title of ['SLOWDOWN', 'JOB us', 'IMBALANCE P50', 'MARKED %', 'CNPS', 'AVG <= 4 KB', 'P99 LARGER']) {
      expect(heads.filter((head) => head.includes(title))).toHaveLength(1);
    }
    expect(lines.join('\n')).toContain('0 everywhere: Pause frames');
  });

  it('says which flows did not end, and then no best', () => {
    const good = { ...plainPaint, good: (text: string) => `<${text}>` };
    const mixed = [...runs(), plainRun({ scheme: 'dlb', flows: { count: 9, finished: 4, octets: 1 } })];
    const lines = renderComparison(compare(mixed), { figures: figuresNamed('slowdown_avg'), width: 100, paint: good });
    expect(lines[0]).toMatch(/^SCHEME +RUNS +UNFINISHED +SLOWDOWN$/);
    expect(lines.find((line) => line.startsWith('dlb'))).toMatch(/^dlb +1 +5 +1\.50$/);
    expect(lines.join()).not.toContain('<1.50>');
  });

  it('has figures by key, by group, and all', () => {
    expect(figuresNamed('imbalance_p50').map(({ key }) => key)).toEqual(['imbalance_p50']);
    expect(figuresNamed('slowdown')).toHaveLength(5);
    expect(figuresNamed('all')).toEqual(FIGURES);
    expect(figuresNamed('nonsense')).toEqual([]);
  });
});
