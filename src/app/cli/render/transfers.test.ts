import { describe, expect, it } from 'vitest';
import { chanceOfAll } from './transfers.js';

describe('the chance that N hashed flows take N links', () => {
  it.each([
    [1, 1],
    [2, 0.5],
    [4, 0.09375],
    [8, 0.0024],
  ])('%i links: %f', (links, chance) => {
    expect(chanceOfAll(links)).toBeCloseTo(chance, 4);
  });
});
