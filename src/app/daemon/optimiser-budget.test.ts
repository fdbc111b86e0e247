import { expect, it } from 'vitest';
import { OptimiserBudget } from './optimiser-budget.js';

it('learns from Node how much a function runs until it is optimised', async () => {
  expect(await new OptimiserBudget().answered).toBe(true);
});

it('leaves it alone where Node does not say', async () => {
  const budget = new OptimiserBudget('/bin/false');
  expect(await budget.answered).toBe(false);
  expect(() => budget.optimiseSooner(true)).not.toThrow();
});
