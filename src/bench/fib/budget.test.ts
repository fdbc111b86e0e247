import { beforeEach, describe, expect, it } from 'vitest';
import { Budget } from './budget.js';

describe('the time of a run', () => {
  let now: number;
  let budget: Budget;
  const take = (seconds: number) => async () => {
    now += seconds;
  };

  beforeEach(() => {
    now = 0;
    budget = new Budget(() => now);
  });

  it('is always there for the first round', async () => {
    await budget.spend('a', take(1000));
    expect(['a', 'b'].map((row) => budget.hasTimeFor(row as 'a' | 'b'))).toEqual([false, true]);
  });

  it('is kept by leaving out what would take longer than what is left', async () => {
    await budget.spend('a', take(200));
    await budget.spend('b', take(40));
    await budget.spend('a', take(150));
    expect(budget.hasTimeFor('b')).toBe(true);
    expect(budget.hasTimeFor('a')).toBe(false);
    expect(budget.rounds('a')).toBe(2);
    expect(budget.elapsed).toBe(390);
  });

  it('is not spent on a third round of what hardly differs', async () => {
    for (let round = 0; round < 2; round++) await budget.spend('d', take(10));
    expect(budget.hasTimeFor('d')).toBe(false);
  });
});
