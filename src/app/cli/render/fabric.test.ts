import { describe, expect, it } from 'vitest';
import type { Fabric, FabricCell } from '../../../edge/control/schema.js';
import { renderFabric } from './fabric.js';
import { FABRIC_LEGEND } from './fabric-marks.js';
import { ansiPaint, plainPaint } from './paint.js';

const UPLINKS = [1, 2, 3, 4];

function cell(uplink: number, colour: number): FabricCell {
  if (uplink === 4) return { state: 'absent', colour: null, aigp: null };
  return uplink === colour ? { state: 'preferred', colour, aigp: '1' } : { state: 'fallback', colour, aigp: null };
}

const FABRIC: Fabric = {
  uplinks: UPLINKS.map((uplink) => ({
    interface: `to-spine${uplink}`,
    colour: uplink,
    up: uplink !== 4,
    reason: uplink === 4 ? 'no carrier' : null,
  })),
  rows: [
    ...[1, 2, 3].map((colour) => ({
      prefix: `fc00:2:1:${colour}::/64`,
      colour,
      origin: 65102,
      cells: UPLINKS.map((uplink) => cell(uplink, colour)),
    })),
    {
      prefix: '192.0.2.0/24',
      colour: null,
      origin: 65102,
      cells: UPLINKS.map(() => ({ state: 'unused', colour: null, aigp: null }) as const),
    },
  ],
};

describe('renderFabric', () => {
  it('draws the matrix', () => {
    expect(renderFabric(FABRIC, plainPaint, 80)).toEqual([
      FABRIC_LEGEND,
      '',
      'PREFIX           COLOUR   to-spine1  to-spine2  to-spine3  to-spine4',
      '                          1 green    2 blue     3 red      down',
      'fc00:2:1:1::/64  1 green  ● (1)      ○          ○',
      'fc00:2:1:2::/64  2 blue   ○          ● (1)      ○',
      'fc00:2:1:3::/64  3 red    ○          ○          ● (1)',
      '192.0.2.0/24     -        ·          ·          ·          ·',
    ]);
  });

  it('breaks into blocks of uplinks that fit', () => {
    const lines = renderFabric(FABRIC, plainPaint, 50);
    expect(lines.filter((line) => line.startsWith('PREFIX'))).toEqual([
      'PREFIX           COLOUR   to-spine1  to-spine2',
      'PREFIX           COLOUR   to-spine3  to-spine4',
    ]);
    expect(lines.filter((line) => line.startsWith('fc00:2:1:3'))).toEqual([
      'fc00:2:1:3::/64  3 red    ○          ○',
      'fc00:2:1:3::/64  3 red    ● (1)',
    ]);
  });

  it('gives the preferred cell the colour of its path', () => {
    const line = renderFabric(FABRIC, ansiPaint, 80).find((candidate) => candidate.startsWith('fc00:2:1:3'));
    expect(line).toContain('\u001b[91m● (1)\u001b[0m');
    expect(line?.split('\u001b[2m○\u001b[0m')).toHaveLength(3);
  });

  it('says when there is nothing to draw', () => {
    expect(renderFabric({ uplinks: [], rows: [] }, plainPaint, 80)).toEqual(['no fabric interface is configured']);
    expect(renderFabric({ ...FABRIC, rows: [] }, plainPaint, 80).at(-1)).toBe('no prefix was learned yet');
  });
});
