import { describe, expect, it } from 'vitest';
import type { StepResult } from './measure.js';
import { Results, renderResults } from './results.js';
import { WORKLOADS } from './workloads.js';

const workload = WORKLOADS.find(({ name }) => name === 'forward-100k-1')!;
const result = (wall: number): StepResult => ({ step: 'announce', wall, told: wall, cpu: 1, memory: 100, lateness: 0 });

describe('the tables', () => {
  it('give medians, spreads and the ratio to everybody, and name who failed', () => {
    const results = new Results();
    for (const wall of [3, 1, 2]) results.add({ workload, subject: { name: 'heddle' }, result: result(wall) });
    results.add({ workload, subject: { name: 'BIRD' }, result: result(4) });
    results.fail(workload, { name: 'FRR' }, 'FRR told 5 of 100000 routes');
    const lines = renderResults(results);
    expect(lines[0]).toBe('### 100 k IPv6 /64 from one peer, told to 1 other');
    expect(lines.find((line) => line.includes('until quiet'))).toMatch(/\| 2 \[1-3\] +\| 4 +\| 0\.50 +\|$/);
    expect(lines).toContain('- FRR told 5 of 100000 routes');
    expect(results.failure(workload, { name: 'FRR' })).toBeDefined();
    expect(results.failure(workload, { name: 'BIRD' })).toBeUndefined();
  });
});
