import { describe, expect, it } from 'vitest';
import { colourUse } from './colour-use.js';
import type { Group, NextHop } from './forwarding-objects.js';

const hop = (interfaceIndex: number, standIn?: NextHop) => ({ interfaceIndex, standIn }) as NextHop;
const group = (id: number, ...members: NextHop[]) => ({ id, set: { members } }) as unknown as Group;
const entries = (colour: number | undefined, size: number, ...groups: [Group, Group?]) => ({
  ...{ spec: { place: 1, origin: 65_101, colour, tiers: [groups[0].set, groups[0].set] as const }, size },
  groups: [groups[0], groups[1]] as [Group, Group | undefined],
});
/** Link N has colour N. */
const use = (...classes: ReturnType<typeof entries>[]) => Object.fromEntries(colourUse(classes, (index) => index));

describe('colourUse', () => {
  it('counts those that go over a link of another colour', () => {
    expect(
      use(
        entries(1, 10, group(7, hop(1)), group(8, hop(2))),
        entries(1, 3, group(8, hop(2), hop(3))),
        entries(2, 5, group(9, hop(2), hop(3))),
        entries(undefined, 9, group(8, hop(2))),
        entries(4, 0, group(8, hop(2))),
      ),
    ).toEqual({ 1: { prefixes: 13, onFallback: 3 }, 2: { prefixes: 5, onFallback: 0 } });
  });

  it('looks at what forwards: the fallback of a dead group, the stand-in of a silent neighbour', () => {
    expect(use(entries(1, 4, group(0, hop(1)), group(8, hop(2))))).toEqual({ 1: { prefixes: 4, onFallback: 4 } });
    expect(use(entries(1, 4, group(7, hop(1, hop(2))), group(8, hop(2))))).toEqual({
      1: { prefixes: 4, onFallback: 4 },
    });
  });

  it('takes what the kernel has not got yet for what it will be', () => {
    expect(use(entries(1, 4, group(0, hop(1)), group(0, hop(2))))).toEqual({ 1: { prefixes: 4, onFallback: 0 } });
  });
});
