import { describe, expect, it } from 'vitest';
import type { FabricMessage } from '../edge/control/page/shapes.js';
import type { FabricCell, FabricRow } from '../edge/control/schema.js';
import { placementOf, wayOf } from './placement.js';

const SPINES = [1, 2, 3];
const uplinks = SPINES.map((colour) => ({ interface: `to-spine${colour}`, colour, up: true, reason: null }));
const row = (...states: FabricCell['state'][]): FabricRow => ({
  prefix: 'fc00:2:1:1::/64',
  colour: 1,
  origin: 65102,
  cells: states.map((state) => ({ state, colour: 1, aigp: null })),
});

const router = (name: string, role: 'spine' | 'leaf', as: number) => ({ name, role, as, asked: true, leaf: null });
const fabric: FabricMessage = {
  kind: 'fabric',
  scope: 'lab',
  name: 'demo',
  version: '1',
  nodes: [
    ...SPINES.map((number) => router(`spine${number}`, 'spine', 65000 + number)),
    router('leaf1', 'leaf', 65101),
    router('leaf2', 'leaf', 65102),
  ],
  links: ['leaf1', 'leaf2'].flatMap((leaf) =>
    SPINES.map((colour) => ({
      name: `${leaf}:spine${colour}`,
      a: { node: leaf, interface: `to-spine${colour}` },
      b: { node: `spine${colour}`, interface: `to-${leaf}` },
      colour,
      rate: null,
    })),
  ),
  actions: [],
};

describe('where a prefix goes', () => {
  it('is pinned to the uplink of its colour, with the others behind', () => {
    const kept = { kind: 'pinned', carries: ['to-spine1'], behind: ['to-spine2', 'to-spine3'] };
    expect(placementOf(row('preferred', 'fallback', 'fallback'), uplinks)).toEqual(kept);
  });

  it('goes by the fallback when that one has no path', () => {
    const spread = { kind: 'fallback', carries: ['to-spine2', 'to-spine3'], behind: [] };
    expect(placementOf(row('absent', 'preferred', 'preferred'), uplinks)).toEqual(spread);
  });

  it('is spread where all uplinks are equal, and goes nowhere without a path', () => {
    expect(placementOf(row('preferred', 'preferred', 'preferred'), uplinks).kind).toBe('spread');
    expect(placementOf(row('absent', 'absent', 'unused'), uplinks).kind).toBe('nowhere');
  });

  it('takes both links of each spine that carries a share of it', () => {
    expect(wayOf(fabric, { router: 'leaf1', row: row('preferred', 'fallback', 'fallback'), uplinks })).toEqual([
      { link: 'leaf1:spine1', share: 1 },
      { link: 'leaf2:spine1', share: 1 },
    ]);
    expect(wayOf(fabric, { router: 'leaf1', row: row('absent', 'preferred', 'preferred'), uplinks })).toEqual([
      { link: 'leaf1:spine2', share: 0.5 },
      { link: 'leaf2:spine2', share: 0.5 },
      { link: 'leaf1:spine3', share: 0.5 },
      { link: 'leaf2:spine3', share: 0.5 },
    ]);
  });
});
