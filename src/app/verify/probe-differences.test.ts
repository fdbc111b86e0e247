import { expect, it } from 'vitest';
import { probeDifferences } from './probe-differences.js';

/** leaf2 has two uplinks, and spine1 and spine2 two links each to leaf1. */
const LINKS = [
  ['leaf2', 'spine1', 'a'],
  ['leaf2', 'spine2', 'b'],
  ['spine1', 'leaf1', 'a'],
  ['spine1', 'leaf1', 'b'],
  ['spine2', 'leaf1', 'a'],
  ['spine2', 'leaf1', 'b'],
  ['leaf1', 'host1', 'a'],
] as const;
const name = (from: string, to: string, side: string) => `${from}:${to}/${side}`;

function differences(sent: readonly number[]) {
  const loads = [128, 128, 64, 64, 64, 64, 256];
  const expected = {
    links: LINKS.map(([from, to, side], index) => ({ link: name(from, to, side), from, to, load: loads[index]! })),
    cutOff: [],
  };
  const links = LINKS.map(([from, to, side], index) => ({
    ...{ link: name(from, to, side), from, to, interface: `to-${to}-${side}` },
    ...{ sent: sent[index]!, received: sent[index]! },
  }));
  const reading = { prefix: 'fc00:1:1:1::/64', host: 'host1', sent: 256, expected, links };
  return probeDifferences([reading], new Set()).map(({ node, what }) => `${node} ${what}`);
}

it('links of one hop may idle when an earlier one has split by the same hash', () => {
  expect(differences([128, 128, 128, 0, 0, 128, 256])).toEqual([]);
});

it('links of the first that splits may not', () => {
  expect(differences([256, 0, 128, 128, 0, 0, 256])).toEqual([
    'leaf2 probes to it leave by to-spine1-a, expected to-spine1-a, to-spine2-b',
    'spine2 probes to it leave by nobody, expected to-leaf1-a, to-leaf1-b',
  ]);
});
