/** The properties that any adaptive load balancer owes its user, over random groups; and a few by hand. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { type AdaptiveMember, adaptiveShares, largestDeviation } from './adaptive-shares.js';

const SETTINGS = { tolerance: 20, moves: 8 };

function member(share: number, rate: number, due = 1): AdaptiveMember {
  return { due, share, rate };
}

/** Rates after the move if every bucket of a member carries the same. */
function redistributed(members: readonly AdaptiveMember[], shares: readonly number[]): AdaptiveMember[] {
  const pool: number[] = [];
  const rest = members.map(({ share, rate }, place) => {
    const bucket = rate / share;
    for (let i = shares[place]!; i < share; i++) pool.push(bucket);
    return bucket * Math.min(share, shares[place]!);
  });
  const each = pool.reduce((sum, bucket) => sum + bucket, 0) / Math.max(1, pool.length);
  return members.map(({ due, share }, place) => {
    const gained = Math.max(0, shares[place]! - share);
    return { due, share: shares[place]!, rate: rest[place]! + gained * each };
  });
}

const group = fc.array(
  fc.record({ due: fc.integer({ min: 1, max: 4 }), share: fc.integer({ min: 1, max: 64 }), rate: fc.nat(10_000) }),
  { minLength: 2, maxLength: 8 },
);

describe('adaptive shares', () => {
  it('move from the one that has too much to the one that has too little', () => {
    expect(adaptiveShares([member(64, 900), member(64, 100)], SETTINGS)).toEqual([36, 92]);
  });

  it('leave a balanced group, and one inside the tolerance', () => {
    expect(adaptiveShares([member(64, 500), member(64, 500)], SETTINGS)).toBeUndefined();
    expect(adaptiveShares([member(64, 590), member(64, 410)], SETTINGS)).toBeUndefined();
    expect(adaptiveShares([member(64, 610), member(64, 390)], SETTINGS)).toBeDefined();
  });

  it('do nothing for a group without traffic, and for a single next hop', () => {
    expect(adaptiveShares([member(64, 0), member(64, 0)], SETTINGS)).toBeUndefined();
    expect(adaptiveShares([member(128, 1000)], SETTINGS)).toBeUndefined();
  });

  it('measure against what was asked for, not against equality', () => {
    expect(adaptiveShares([member(96, 750, 3), member(32, 250, 1)], SETTINGS)).toBeUndefined();
    const [large, small] = adaptiveShares([member(64, 500, 3), member(64, 500, 1)], SETTINGS)!;
    expect(large).toBeGreaterThan(small!);
  });

  it('never play ping-pong with one bucket that is larger than the difference', () => {
    expect(adaptiveShares([member(1, 1000), member(127, 100)], SETTINGS)).toBeUndefined();
    expect(adaptiveShares([member(2, 1000), member(126, 900)], { tolerance: 1, moves: 8 })).toBeUndefined();
  });

  it('give a new next hop its part at the next scan', () => {
    const shares = adaptiveShares([member(63, 500), member(64, 500), member(1, 0)], SETTINGS)!;
    expect(shares[2]).toBeGreaterThan(30);
  });

  it('keep the number of buckets, and one for each', () => {
    fc.assert(
      fc.property(group, (members) => {
        const shares = adaptiveShares(members, SETTINGS);
        if (!shares) return;
        const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
        expect(sum(shares)).toBe(sum(members.map(({ share }) => share)));
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('never raise the largest load for its due', () => {
    fc.assert(
      fc.property(group, (members) => {
        const shares = adaptiveShares(members, { ...SETTINGS, moves: 1 });
        if (!shares) return;
        const highest = (all: readonly AdaptiveMember[]) => Math.max(...all.map(({ rate, due }) => rate / due));
        expect(highest(redistributed(members, shares))).toBeLessThanOrEqual(highest(members) * (1 + 1e-9));
      }),
    );
  });

  it('come to rest when the traffic does', () => {
    fc.assert(
      fc.property(group, (members) => {
        let state: readonly AdaptiveMember[] = members;
        let scans = 0;
        for (; scans < 200; scans++) {
          const shares = adaptiveShares(state, { ...SETTINGS, moves: 1 });
          if (!shares) break;
          const next = redistributed(state, shares);
          expect(largestDeviation(next)).toBeLessThanOrEqual(largestDeviation(state) + 1e-6);
          state = next;
        }
        expect(scans).toBeLessThan(200);
      }),
    );
  });
});
