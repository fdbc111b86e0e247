/** Unequal-cost multipath through whole fabrics: what the spines say of their links is how the leaf shares its traffic. */
import { describe, expect, it } from 'vitest';
import { leafSpine, sharesAt, type Uplink } from './leaf-spine.fixture.js';

const GIGABIT = 125_000_000;
const TARGET = 'fc00:1:1:1::10';
const PREFIXES = [{ prefix: 'fc00:1:1:1::/64' }];

const spine = (number: number, linkBandwidth?: number | 'auto'): Uplink => ({
  spine: number,
  ...(linkBandwidth !== undefined && { spineEnd: { linkBandwidth } }),
});

describe('link bandwidths in a fabric', () => {
  it('become the shares of equal paths', async () => {
    const fabric = await leafSpine({ uplinks: [spine(1, 100 * GIGABIT), spine(2, 300 * GIGABIT)], prefixes: PREFIXES });
    expect(sharesAt(fabric, 'leaf2', TARGET, 40)).toEqual({ up1: 10, up2: 30 });
  });

  it('keep their proportions among those that are left when a link dies', async () => {
    const uplinks = [spine(1, 100 * GIGABIT), spine(2, 200 * GIGABIT), spine(3, 400 * GIGABIT)];
    const fabric = await leafSpine({ uplinks, prefixes: PREFIXES });
    expect(sharesAt(fabric, 'leaf2', TARGET, 70)).toEqual({ up1: 10, up2: 20, up3: 40 });
    fabric.fail('leaf2', 'spine2');
    await fabric.clock.runUntil(6000);
    expect(sharesAt(fabric, 'leaf2', TARGET, 50)).toEqual({ up1: 10, up3: 40 });
  });

  it('count only when every path has one', async () => {
    const uplinks = [spine(1, 100 * GIGABIT), spine(2, 300 * GIGABIT), spine(3)];
    const fabric = await leafSpine({ uplinks, prefixes: PREFIXES });
    expect(sharesAt(fabric, 'leaf2', TARGET, 60)).toEqual({ up1: 20, up2: 20, up3: 20 });
  });

  it('are left alone with use: false', async () => {
    const uplinks = [spine(1, 100 * GIGABIT), spine(2, 300 * GIGABIT)];
    const fabric = await leafSpine({ uplinks, prefixes: PREFIXES, changes: { useLinkBandwidth: false } });
    expect(sharesAt(fabric, 'leaf2', TARGET, 60)).toEqual({ up1: 30, up2: 30 });
  });

  it('are the speed of the link with auto', async () => {
    const fabric = await leafSpine({ uplinks: [spine(1, 'auto'), spine(2, 20 * GIGABIT)], prefixes: PREFIXES });
    expect(sharesAt(fabric, 'leaf2', TARGET, 60)).toEqual({ up1: 20, up2: 40 });
  });
});
