import { describe, expect, it } from 'vitest';
import { latenessOf } from './lateness.js';

describe('the lateness of KEEPALIVEs', () => {
  it('is that of gaps which had begun before the work was done', () => {
    const gaps = [
      ...Array.from({ length: 98 }, () => ({ since: 10, late: 1 })),
      { since: 20, late: 7 },
      { since: 30, late: 9 },
    ];
    expect(latenessOf(gaps, 40)).toEqual({ p99: 7, worst: 9 });
    expect(latenessOf(gaps, 25)).toEqual({ p99: 7, worst: 7 });
  });

  it('is none where nobody was waited for', () => {
    expect(latenessOf([{ since: 10, late: 3 }], 5)).toEqual({ p99: 0, worst: 0 });
  });
});
