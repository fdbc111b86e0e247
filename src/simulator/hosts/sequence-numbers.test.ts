import { describe, expect, it } from 'vitest';
import { PSN_MASK, wholePsn } from './sequence-numbers.js';

describe('packet sequence numbers', () => {
  it.each([
    [0, 0],
    [5, 3],
    [3, 5],
    [0xffffff, 0x1000000],
    [0x1000000, 0xffffff],
    [0x1000005, 0xfffff0],
    [0x2000000 - 1, 0x2000000],
    [100 + 0x7fffff, 100],
    [0x7ffffff0, 0x7fffffff],
  ])('%i is the same again, known to be near %i', (psn, near) => {
    expect(wholePsn(psn & PSN_MASK, near)).toBe(psn);
  });

  it('half of all numbers away is the other side', () => {
    expect(wholePsn(0x800000, 0)).toBe(-0x800000);
  });
});
