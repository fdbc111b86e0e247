import { describe, expect, it } from 'vitest';
import { colourUse } from './colour-use.js';
import { type Group, type NextHop, NO_MEMBERS } from './forwarding-objects.js';

const hop = (standIn?: NextHop) => ({ standIn }) as NextHop;
const group = (id: number, ...members: NextHop[]) => ({ id, set: { members } }) as unknown as Group;
const entries = (colour: number | undefined, size: number, primary: Group, behind?: Group, onFallback = false) => ({
  spec: { ...{ place: 1, origin: 65_101, colour, onFallback }, tiers: [primary.set, NO_MEMBERS] as const },
  ...{ size, groups: [primary, behind] as [Group, Group | undefined] },
});
const use = (...classes: ReturnType<typeof entries>[]) => Object.fromEntries(colourUse(classes));

describe('colourUse', () => {
  it('counts those that have no path of their colour', () => {
    expect(
      use(
        entries(1, 10, group(7, hop()), group(8, hop())),
        entries(1, 3, group(8, hop()), undefined, true),
        entries(2, 5, group(9, hop())),
        entries(undefined, 9, group(8, hop()), undefined, true),
        entries(4, 0, group(8, hop()), undefined, true),
      ),
    ).toEqual({ 1: { prefixes: 13, onFallback: 3 }, 2: { prefixes: 5, onFallback: 0 } });
  });

  it('looks at what forwards: the fallback of a dead group, the stand-in of a silent neighbour', () => {
    const fallen = { 1: { prefixes: 4, onFallback: 4 } };
    expect(use(entries(1, 4, group(0, hop()), group(8, hop())))).toEqual(fallen);
    expect(use(entries(1, 4, group(7, hop(hop())), group(8, hop())))).toEqual(fallen);
    expect(use(entries(1, 4, group(7, hop(hop()), hop()), group(8, hop())))).toEqual({
      1: { prefixes: 4, onFallback: 0 },
    });
  });

  it('takes what the kernel has not got yet for what it will be', () => {
    expect(use(entries(1, 4, group(0, hop()), group(0, hop())))).toEqual({ 1: { prefixes: 4, onFallback: 0 } });
  });
});
