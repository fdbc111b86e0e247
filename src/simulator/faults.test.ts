/** What can be done to a simulated fabric besides pulling a cable: silence one way, a stopped process, interfaces that come and go. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../core/net/address.js';
import { leafSpine, sharesAt } from './leaf-spine.fixture.js';
import type { VirtualFabric } from './virtual-fabric.js';

const DESTINATION = 'fc00:1:1:1::10';

/** Two spines; the prefix prefers the first. */
function fabricOf(bfd?: { interval: number; multiplier: number }): Promise<VirtualFabric> {
  const end = { colour: 1, ...(bfd && { bfd: { ...bfd, strict: false } }) };
  return leafSpine({
    uplinks: [
      { spine: 1, leafEnd: end, spineEnd: bfd ? { bfd: { ...bfd, strict: false } } : {} },
      { spine: 2, leafEnd: { ...end, colour: 2 }, spineEnd: bfd ? { bfd: { ...bfd, strict: false } } : {} },
    ],
    prefixes: [{ prefix: 'fc00:1:1:1::/64', colour: 1 }],
  });
}

const arrives = (fabric: VirtualFabric) => fabric.send('host2', parseAddress(DESTINATION)!, { hash: 7, octets: 100 });
const wait = (fabric: VirtualFabric, milliseconds: number) => fabric.clock.runUntil(fabric.clock.now() + milliseconds);

describe('a wire that is silent in one direction', () => {
  it('loses what goes that way, and BFD at both ends hears of it', async () => {
    const fabric = await fabricOf({ interval: 100, multiplier: 3 });
    fabric.silence('leaf2', 'spine1');
    expect(arrives(fabric)).toBe(false);
    await wait(fabric, 500);
    expect(sharesAt(fabric, 'leaf2', DESTINATION)).toEqual({ up2: 64 });
    expect(arrives(fabric)).toBe(true);
  });
});

describe('a stopped process', () => {
  it('leaves its kernel forwarding, and hears of everything when it goes on', async () => {
    const fabric = await fabricOf();
    const { suspension, speaker } = fabric.node('leaf2');
    suspension.suspend();
    fabric.fail('leaf2', 'spine1');
    await wait(fabric, 1000);
    expect(speaker!.fabricLinks[0]!.state?.carrier).toBe(true);
    expect(sharesAt(fabric, 'leaf2', DESTINATION)).toEqual({ up2: 64 });
    suspension.resume();
    await wait(fabric, 100);
    expect(speaker!.fabricLinks[0]!.state?.carrier).toBe(false);
    fabric.heal('leaf2', 'spine1');
    await wait(fabric, 5000);
    expect(sharesAt(fabric, 'leaf2', DESTINATION)).toEqual({ up1: 64 });
  });

  it('is taken for dead by its neighbours when it says nothing for the hold time', async () => {
    const fabric = await fabricOf();
    fabric.node('leaf1').suspension.suspend();
    await wait(fabric, 12_000);
    expect(fabric.node('spine1').speaker!.sessionCount().up).toBe(1);
    fabric.node('leaf1').suspension.resume();
    await wait(fabric, 40_000);
    expect(fabric.node('spine1').speaker!.sessionCount().up).toBe(2);
    expect(arrives(fabric)).toBe(true);
  });
});

describe('an interface that is deleted', () => {
  it('takes its next hops along, and another one of that name takes its place', async () => {
    const fabric = await fabricOf();
    const before = fabric.node('leaf2').links.byName('up1')!;
    fabric.remove('leaf2', 'spine1');
    await wait(fabric, 100);
    expect(sharesAt(fabric, 'leaf2', DESTINATION)).toEqual({ up2: 64 });
    fabric.restore('leaf2', 'spine1');
    await wait(fabric, 5000);
    expect(fabric.node('leaf2').links.byName('up1')!.index).not.toBe(before.index);
    expect(sharesAt(fabric, 'leaf2', DESTINATION)).toEqual({ up1: 64 });
  });
});
