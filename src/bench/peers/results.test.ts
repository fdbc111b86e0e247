import { describe, expect, it } from 'vitest';
import { Results } from '../common/results.js';
import { FIGURE } from './figures.js';
import { renderResults } from './results.js';
import { WORKLOADS } from './workloads.js';

const workload = WORKLOADS.find(({ name }) => name === 'forward-100k-1')!;

describe('the tables', () => {
  it('give medians, spreads and the ratio to everybody, and name who failed', () => {
    const results = new Results();
    const add = (subject: string, value: number) =>
      results.add({ row: workload.name, figure: FIGURE.wall('announce'), subject, value });
    for (const wall of [3, 1, 2]) add('heddle', wall);
    add('BIRD', 4);
    const lines = renderResults([workload], results, [{ workload, text: 'FRR told 5 of 100000 routes' }]);
    expect(lines[0]).toBe('### 100 k IPv6 /64 from one peer, told to 1 other');
    expect(lines.find((line) => line.includes('until quiet'))).toMatch(/\| 2 \[1-3\] +\| 4 +\| 0\.50 +\|$/);
    expect(lines).toContain('- FRR told 5 of 100000 routes');
  });

  it('say of who was given up that it took longer', () => {
    const results = new Results();
    const row = workload.name;
    const figure = FIGURE.wall('announce');
    results.add({ row, figure, subject: 'heddle', value: 2 });
    results.add({ row, figure, subject: 'GoBGP', value: 40, atLeast: true });
    const lines = renderResults([workload], results, []);
    expect(lines.find((line) => line.includes('until quiet'))).toMatch(/\| 2 +\| > 40 +\| < 0\.05 +\|$/);
  });

  it('are not there where nothing was measured', () => {
    const lines = renderResults([workload], new Results(), [{ workload, text: 'heddle was given up after 60 s' }]);
    expect(lines.join('\n')).not.toContain('|');
  });
});
