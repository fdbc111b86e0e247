/** Session mode in whole fabrics: what is hidden, what is the fallback, and what has none. */
import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import { pathReason } from '../core/rib/path-reason.js';
import { type LeafSpine, leafSpine, sharesAt, type Uplink } from './leaf-spine.fixture.js';
import type { VirtualFabric } from './virtual-fabric.js';

const SESSION = { dpf: { mode: 'session' as const, aigpOrigin: 0n, aigpStep: 1n } };
const P = 'fc00:1:1:1::/64';
const TARGET = 'fc00:1:1:1::10';

const coloured = (spine: number, leaf: number, other = leaf): Uplink => ({
  spine,
  leafEnd: { colour: leaf },
  spineEnd: { colour: other },
});

const fabricOf = (uplinks: readonly Uplink[], backupColours?: readonly number[]): LeafSpine => ({
  uplinks,
  prefixes: [{ prefix: P, colour: 1, ...(backupColours && { backupColours }) }],
  changes: SESSION,
});

function paths(fabric: VirtualFabric, node: string) {
  const { rib } = fabric.node(node).speaker!.engine;
  const id = rib.find(parsePrefix(P)!);
  if (id === undefined) return [];
  const shown = rib.explain(id).paths.map((path) => [path.interfaceName, path.status, pathReason(path)]);
  return shown.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

describe('a fabric in session mode', () => {
  it('hides what comes with another colour than the session has, says so, and passes it on to nobody', async () => {
    const fabric = await leafSpine(fabricOf([coloured(1, 1, 2), coloured(2, 2)], [2]));
    expect(paths(fabric, 'spine1')).toEqual([['leaf1-1', 'hidden', 'colour 1 on a session of colour 2']]);
    expect(paths(fabric, 'leaf2')).toEqual([['up2', 'best', 'best path']]);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up2: 64 });
  });

  it('has no fallback without backup colours: when the link of the colour dies the prefix is gone', async () => {
    const fabric = await leafSpine(fabricOf([coloured(1, 1), coloured(2, 2)]));
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up1: 64 });
    fabric.fail('leaf2', 'spine1');
    await fabric.clock.runUntil(6000);
    expect(paths(fabric, 'leaf2')).toEqual([]);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ lost: 64 });
  });

  it('falls back on the backup colours, and on no others', async () => {
    const fabric = await leafSpine(fabricOf([coloured(1, 1), coloured(2, 2), coloured(3, 3)], [3]));
    expect(paths(fabric, 'leaf2')).toEqual([
      ['up1', 'best', 'best path'],
      ['up3', 'fallback', 'no AIGP counts as infinite'],
    ]);
    fabric.fail('spine1', 'leaf1');
    await fabric.clock.runUntil(6000);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up3: 64 });
  });

  it('takes a session without a colour for a fallback too: everything goes over it', async () => {
    const fabric = await leafSpine(fabricOf([coloured(1, 1), { spine: 2 }]));
    expect(paths(fabric, 'leaf2').map(([name, status]) => [name, status])).toEqual([
      ['up1', 'best'],
      ['up2', 'fallback'],
    ]);
    fabric.fail('leaf2', 'spine1');
    await fabric.clock.runUntil(6000);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up2: 64 });
  });

  it('sends a colour down its own link of two from the spine, and up the other when that one dies', async () => {
    const fabric = await leafSpine(fabricOf([coloured(1, 1), coloured(1, 2)], [2]));
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up1: 64 });
    expect(sharesAt(fabric, 'spine1', TARGET)).toEqual({ 'leaf1-1': 64 });
    fabric.fail('spine1', 'leaf1', 1);
    await fabric.clock.runUntil(6000);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up2: 64 });
    expect(sharesAt(fabric, 'spine1', TARGET)).toEqual({ 'leaf1-2': 64 });
    fabric.heal('spine1', 'leaf1', 1);
    await fabric.clock.runUntil(10_000);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up1: 64 });
  });

  it('is what two links to one spine need: in policy mode they tie at the leaf', async () => {
    const policy = { ...fabricOf([coloured(1, 1), coloured(1, 2)]), changes: {} };
    const fabric = await leafSpine(policy);
    expect(sharesAt(fabric, 'leaf2', TARGET)).toEqual({ up1: 32, up2: 32 });
  });
});
