import { describe, expect, it } from 'vitest';
import { samplesOf } from './samples.js';
import { misfit } from './shape.js';

const page = [
  'text',
  '```console run',
  '$ one \\',
  '> two',
  'printed',
  '',
  '$ three',
  '```',
  '```console',
  '$ never',
  '```',
].join('\n');

describe('samples of a page', () => {
  it('are what is typed and what is printed, of the blocks that are marked', () => {
    expect(samplesOf(page)).toEqual([
      { line: 3, command: 'one \\\ntwo', output: ['printed', ''] },
      { line: 7, command: 'three', output: [] },
    ]);
  });

  it('begin with what is typed', () => {
    expect(() => samplesOf('```console run\nprinted\n```')).toThrow('line 2');
  });
});

describe('what is printed', () => {
  it.each([
    ['up after 2.1 s', 'up after 13 ms'],
    ['up 6s', 'up 1m 12s'],
    ['fe80::ccd9:ceff:febe:eef9 65001', 'fe80::1  65001'],
    ['nhid 1216348161 proto 179 metric 20', 'nhid 1216348199 proto 179 metric 20'],
    ['fc00:1:1:1:14a0:a7ff:fef3:bd76 port 49441', 'fc00:1:1:1:dc6b:cff:fe6a:11c4 port 49441'],
    ['2026-12-01T05:01:22.472Z info', '2027-01-02T15:01:22.001Z info'],
    ['the ... case', 'the other case'],
  ])('fits although times, addresses and counters differ: %s', (expected, printed) => {
    expect(misfit([expected], [printed])).toBeUndefined();
  });

  it.each([
    ['4 of 4 up', '3 of 4 up'],
    ['AS 65001', 'AS 65002'],
    ['fc00:1:1:1::/64', 'fc00:1:1:2::/64'],
    ['fc00:1:1:1:14a0:a7ff:fef3:bd76', 'fc00:1:2:1:14a0:a7ff:fef3:bd76'],
    ['metric 20', 'metric 30'],
    ['to-spine1 up 6s', 'to-spine2 up 6s'],
    ['up', 'up again'],
  ])('does not fit when it says another thing: %s', (expected, printed) => {
    expect(misfit([expected], [printed])).toBe(expected);
  });

  it('has any lines where the page leaves some out, and none beyond it', () => {
    expect(misfit(['a', '...', 'd'], ['a', 'b', 'c', 'd'])).toBeUndefined();
    expect(misfit(['a', '...'], ['a'])).toBeUndefined();
    expect(misfit(['a', '...', 'e'], ['a', 'b'])).toBe('e');
    expect(misfit(['a'], ['a', 'b'])).toBe('nothing more');
    expect(misfit(['a', 'b'], ['a'])).toBe('b');
  });

  it('has the next hops of a route in any order, but no others', () => {
    const hops = ['nexthop via fe80::1 dev b', 'nexthop via fe80::2 dev a'];
    expect(misfit(['route', ...hops], ['route', ...hops.toReversed()])).toBeUndefined();
    expect(misfit(['route', ...hops], ['route', 'nexthop via fe80::1 dev b', 'nexthop via fe80::2 dev c'])).toContain(
      'dev a',
    );
  });
});
