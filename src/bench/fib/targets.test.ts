import { describe, expect, it } from 'vitest';
import { Results } from '../common/results.js';
import { renderTable, short } from '../common/table.js';
import { FIGURE } from './figures.js';
import type { RowName } from './rows.js';
import { renderResults } from './table.js';
import { judge } from './targets.js';

const PEERS = ['FRR', 'BIRD'];

function resultsOf(...measurements: readonly Parameters<Results<RowName>['add']>[0][]): Results<RowName> {
  const results = new Results<RowName>();
  for (const measurement of measurements) results.add(measurement);
  return results;
}

const local = (subject: string, count: number, value: number) =>
  ({ row: 'a', figure: FIGURE.gap(count), subject, value }) as const;

describe('the targets', () => {
  it('of what was not measured are not judged', () => {
    expect(judge(new Results<RowName>(), PEERS)).toEqual([]);
  });

  it('of a local failure know a gap no better than the probe does', () => {
    const kernel = local('kernel', 1, 0.2);
    const good = resultsOf(kernel, local('heddle', 1, 0.2), local('heddle', 100_000, 0.4));
    expect(judge(good, PEERS).map(({ met }) => met)).toEqual([true, true]);
    const bad = resultsOf(kernel, local('heddle', 1, 0.2), local('heddle', 100_000, 9));
    expect(judge(bad, PEERS)).toMatchObject([
      { met: false, shown: "9.0 ms at the worst, the kernel's own 0.2 ms (known to 0.2 ms)" },
      { met: false, shown: '9.0 ms against 0.2 ms (45.00 x)' },
    ]);
  });

  it('of a remote failure compare with the best peer', () => {
    const figure = FIGURE.slowest(10_000);
    const of = (subject: string, value: number) => ({ row: 'b', figure, subject, value }) as const;
    const results = resultsOf(of('heddle', 40), of('FRR', 300), of('BIRD', 90));
    expect(judge(results, PEERS)).toMatchObject([{ met: true, shown: '40.0 ms against 90.0 ms of BIRD (0.44 x)' }]);
  });

  it('of a lost carrier compare with the same routes by hand', () => {
    const of = (subject: string, value: number) =>
      ({ row: 'a', figure: FIGURE.gap(1_000, 'carrier lost'), subject, value }) as const;
    expect(judge(resultsOf(of('kernel', 0.7), of('heddle', 0.9)), PEERS)).toMatchObject([{ met: true }]);
    expect(judge(resultsOf(of('kernel', 0.7), of('heddle', 3)), PEERS)).toMatchObject([{ met: false }]);
  });

  it('of the balance judge each mode by itself', () => {
    const of = (subject: string, value: number) => ({ row: 'e', figure: FIGURE.imbalance, subject, value }) as const;
    const results = resultsOf(of('kernel ECMP', 1.4), of('heddle, flowlet', 1.1), of('heddle, adaptive', 1.5));
    expect(judge(results, PEERS)).toMatchObject([
      { target: 'flowlet: nearer to even than ECMP', met: true },
      { target: 'adaptive: nearer to even than ECMP', met: false },
    ]);
  });

  it('of a restart take the worst round', () => {
    const of = (value: number) => ({ row: 'd', figure: FIGURE.stopped, subject: 'heddle', value }) as const;
    expect(judge(resultsOf(of(0), of(0), of(3)), PEERS)).toMatchObject([{ met: false }]);
    expect(judge(resultsOf(of(0), of(0), of(0)), PEERS)).toMatchObject([{ met: true }]);
  });
});

describe('the table', () => {
  it('has medians and spreads by who was measured, a ratio to the best other, and the verdicts', () => {
    const of = (subject: string, value: number) => ({ row: 'c', figure: FIGURE.install, subject, value }) as const;
    const results = resultsOf(of('heddle', 0.5), of('FRR', 2), of('BIRD', 1), of('heddle', 0.7), of('heddle', 0.6));
    expect(renderResults(results, judge(results, PEERS))).toEqual([
      '## c. 100,000 IPv6 routes from one peer, first UPDATE octet to last kernel route',
      '',
      '|         | heddle           | FRR | BIRD | heddle / best peer |',
      '|---------|------------------|-----|------|--------------------|',
      '| time, s | 0.60 [0.50-0.70] | 2   | 1    | 0.60               |',
      '',
      "- met: at most 0.7 of BIRD's time: 0.60 s against 1.00 s (0.60 x)",
      '',
    ]);
  });

  it('leaves cells of nothing empty', () => {
    expect(renderTable([['', 'a'], ['row']])).toEqual(['|     | a   |', '|-----|-----|', '| row |     |']);
  });

  it('writes as many decimals as say something', () => {
    expect([0, 3, 0.123, 12.34, 123.4].map(short)).toEqual(['0', '3', '0.12', '12.3', '123']);
  });
});
