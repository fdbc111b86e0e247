import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.js';
import { WORKLOADS } from './workloads.js';

describe('the command line', () => {
  it('measures everything three times beside everybody, without words', () => {
    expect(parseOptions([])).toEqual({
      workloads: WORKLOADS,
      rounds: 3,
      quick: false,
      peers: ['frr', 'bird', 'gobgp', 'node'],
      limit: 60,
      report: undefined,
      name: 'peer-bench',
    });
  });

  it('is quick with a hundredth of the routes, once', () => {
    const { workloads, rounds } = parseOptions(['--quick', '--workloads', 'million,latency-loaded,unnumbered-64']);
    expect(rounds).toBe(1);
    expect(workloads[0]).toMatchObject({ name: 'million', table: { prefixes: 10_000 } });
    expect(workloads[1]).toMatchObject({ probes: 50, load: { prefixes: 10_000 } });
    expect(workloads[2]).toMatchObject({ links: 8, prefixes: 16 });
  });

  it('takes workloads by their names, and nobody beside heddle', () => {
    const { workloads, peers } = parseOptions(['--workloads', 'forward-100k-8,million', '--peers', '']);
    expect(workloads.map(({ name }) => name)).toEqual(['million', 'forward-100k-8']);
    expect(peers).toEqual([]);
  });

  it.each([
    [['--workloads', 'billion'], /billion is none of million/],
    [['--rounds', '0'], /expected a whole number from 1/],
    [['--limit', 'soon'], /--limit soon/],
    [['--peers', 'quagga'], /quagga is none of frr/],
  ])('refuses %j', (parameters, complaint) => {
    expect(() => parseOptions(parameters)).toThrow(complaint);
  });
});
