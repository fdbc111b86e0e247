import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { shareBudget, wholeShares } from './shares.js';

const wanted = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 16 });

describe('whole shares', () => {
  it('add up to the budget, each at least 1', () => {
    fc.assert(
      fc.property(wanted, fc.integer({ min: 16, max: 256 }), (parts, budget) => {
        const shares = wholeShares(parts, budget);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(budget);
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('keep the order of what was wanted', () => {
    fc.assert(
      fc.property(wanted, (parts) => {
        const shares = wholeShares(parts, 128);
        for (const [i, a] of parts.entries())
          for (const [j, b] of parts.entries()) if (a > b) expect(shares[i]).toBeGreaterThanOrEqual(shares[j]!);
      }),
    );
  });

  it.each([
    [[1, 1, 1], 128, [43, 43, 42]],
    [[1, 1, 2], 128, [32, 32, 64]],
    [[0, 0], 10, [5, 5]],
    [[1, 0], 10, [9, 1]],
    [[5], 128, [128]],
    [[1, 2, 3], 2, [1, 1, 1]],
  ])('%j of %d', (parts, budget, shares) => {
    expect(wholeShares(parts, budget)).toEqual(shares);
  });

  it('are a bucket each as far as a weight goes', () => {
    expect(shareBudget(128)).toBe(128);
    expect(shareBudget(4096)).toBe(256);
  });
});
