import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.js';

describe('the command line', () => {
  it('measures everything three times, without words', () => {
    expect(parseOptions([])).toEqual({
      rows: ['a', 'b', 'c', 'd', 'e'],
      rounds: 3,
      peers: ['frr', 'bird'],
      quick: false,
      report: undefined,
      name: 'fib-bench',
    });
  });

  it('takes rows in their order, and one round when it is to be quick', () => {
    expect(parseOptions(['--rows', 'c,a', '--quick'])).toMatchObject({ rows: ['a', 'c'], rounds: 1 });
    expect(parseOptions(['--rounds=2', '--quick', '--peers', ''])).toMatchObject({ rounds: 2, peers: [] });
  });

  it.each([
    [['--rows', 'a,x'], /x is none of a, b, c, d, e/],
    [['--rounds', '0'], /expected a whole number from 1/],
    [['--what'], /--what/],
  ])('refuses %j', (parameters, complaint) => {
    expect(() => parseOptions(parameters)).toThrow(complaint);
  });
});
