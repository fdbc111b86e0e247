import { describe, expect, it } from 'vitest';
import { Results } from '../common/results.js';
import { FIGURE } from './figures.js';
import { judge, renderTargets } from './targets.js';

function resultsOf(...values: readonly (readonly [row: string, figure: string, subject: string, value: number])[]) {
  const results = new Results();
  for (const [row, figure, subject, value] of values) results.add({ row, figure, subject, value });
  return results;
}

describe('the targets', () => {
  it('are silent about what was not measured', () => {
    expect(judge(new Results())).toEqual([]);
    expect(judge(resultsOf(['million', FIGURE.wall('announce'), 'heddle', 1]))).toEqual([]);
  });

  it('are ratios to a peer, the bound itself included where it is one', () => {
    const wall = FIGURE.wall('announce');
    const results = resultsOf(
      ['million', wall, 'heddle', 0.6],
      ['million', wall, 'BIRD', 1],
      ['million', wall, 'FRR', 4],
      ['forward-500k-8', FIGURE.told('announce'), 'heddle', 2],
      ['forward-500k-8', FIGURE.told('announce'), 'BIRD', 2],
    );
    expect(judge(results).map(({ target, met }) => [target, met])).toEqual([
      ['<= 0.6 x BIRD', true],
      ['<= 0.12 x FRR', false],
      ['< 1 x BIRD', false],
    ]);
    expect(renderTargets(judge(results)).join('\n')).toContain('**not met**');
  });

  it('compare the time to the kernel with milliseconds and with the best peer', () => {
    const figure = FIGURE.delay('routed', 99);
    const results = resultsOf(
      ['latency', figure, 'heddle', 2],
      ['latency', figure, 'FRR', 9],
      ['latency', figure, 'BIRD', 1.5],
      ['latency', figure, 'Node alone', 1],
      ['latency-loaded', figure, 'heddle', 5000],
    );
    expect(judge(results).map(({ target, shown, met }) => [target, shown, met])).toEqual([
      ['< 3', '2', true],
      ["< each peer's", '2 against 1.50 of BIRD', false],
    ]);
  });

  it('take KEEPALIVEs at the worst workload', () => {
    const results = resultsOf(
      ['million', FIGURE.late('announce'), 'heddle', 3],
      ['policy', FIGURE.late('policy'), 'heddle', 51],
      ['policy', FIGURE.late('policy'), 'FRR', 900],
    );
    expect(judge(results)).toEqual([expect.objectContaining({ shown: '51 (policy)', met: false })]);
  });
});
