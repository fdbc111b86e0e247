import { describe, expect, it } from 'vitest';
import { type PrefixLimit, PrefixWatch } from './prefix-limit.js';

const LIMIT: PrefixLimit = { limit: 10, warn: 80, action: 'restart', restartAfter: 60 };
const watchOf = (part: Partial<PrefixLimit> = {}) => new PrefixWatch({ 'ipv6-unicast': { ...LIMIT, ...part } });
const kinds = (watch: PrefixWatch, ...counts: number[]) => counts.map((count) => watch.look(() => count)?.kind);

describe('a prefix limit', () => {
  it('warns once near the limit, and again when the count had been lower', () => {
    expect(kinds(watchOf(), 7, 8, 9, 10, 7, 8)).toEqual([
      undefined,
      'warning',
      undefined,
      undefined,
      undefined,
      'warning',
    ]);
  });

  it('is reached by one prefix more, not by the last allowed one', () => {
    expect(kinds(watchOf(), 10, 11)).toEqual(['warning', 'exceeded']);
  });

  it('only warns where that is the action', () => {
    expect(kinds(watchOf({ action: 'warn' }), 11, 12, 10, 11)).toEqual(['warning', undefined, undefined, 'warning']);
  });

  it('says nothing of a family without one', () => {
    expect(new PrefixWatch({}).look(() => 1_000_000)).toBeUndefined();
  });
});
