import { describe, expect, it } from 'vitest';
import { imbalanceOf, percentile, spreadOf } from './statistics.js';

describe('a spread', () => {
  it('has the value in the middle and both ends, in whatever order they come', () => {
    expect(spreadOf([7, 1, 3])).toEqual({ median: 3, least: 1, most: 7 });
  });

  it('takes the mean of the two in the middle of an even number', () => {
    expect(spreadOf([10, 2, 4, 8])).toEqual({ median: 6, least: 2, most: 10 });
  });

  it('of one value is that value', () => {
    expect(spreadOf([5])).toEqual({ median: 5, least: 5, most: 5 });
  });
});

describe('an imbalance', () => {
  it('is the largest load over the mean one', () => {
    expect(imbalanceOf([30, 10, 20])).toBe(1.5);
  });

  it('of equal loads, or of none, is 1', () => {
    expect([imbalanceOf([4, 4, 4]), imbalanceOf([0, 0, 0])]).toEqual([1, 1]);
  });
});

describe('percentiles', () => {
  it('are values that were measured', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(percentile(values, 0.5)).toBe(100);
    expect(percentile(values, 0.99)).toBe(198);
    expect(percentile([5], 0.99)).toBe(5);
  });
});
