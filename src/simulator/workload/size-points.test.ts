import { describe, expect, it } from 'vitest';
import { ALI_STORAGE, meanSize } from './flow-sizes.js';
import { ownSizes, parseSizePoints } from './size-points.js';

describe('sizes of flows from points', () => {
  it('are those of a published distribution, from the text that its simulators read', () => {
    const text = ALI_STORAGE.points.map(([octets, share]) => `${octets} ${share * 100}`).join('\n');
    const sizes = ownSizes('mine', parseSizePoints(`# octets per-cent\n\n${text}\n`));
    expect(meanSize(sizes)).toBeCloseTo(meanSize(ALI_STORAGE), 6);
    expect(sizes.points).toHaveLength(ALI_STORAGE.points.length);
  });

  it.each([
    ['4000', 'line 1: 4000: expected OCTETS PER-CENT such as 4000 22.93'],
    ['0 0\n4000 101', 'line 2: 4000 101: expected OCTETS PER-CENT'],
    ['0 0\n4e3 100', 'line 2: 4e3 100: expected'],
  ])('refuse the line of %j', (text, reason) => {
    expect(() => parseSizePoints(text)).toThrow(reason);
  });

  it.each([
    [[[0, 0]], 'expected two points at least'],
    [
      [
        [0, 0.1],
        [9, 1],
      ],
      'the first point is 0 octets at 10%; expected a share of 0%',
    ],
    [
      [
        [0, 0],
        [9, 0.5],
      ],
      'the last point is 9 octets at 50%; expected a share of 100%',
    ],
    [
      [
        [0, 0],
        [9, 0.5],
        [8, 1],
      ],
      '8 octets at 100% comes after 9 octets at 50%; expected neither to fall',
    ],
    [
      [
        [0, 0],
        [9, 0.5],
        [10, 0.4],
        [11, 1],
      ],
      '10 octets at 40% comes after 9 octets at 50%',
    ],
    [
      [
        [0, 0],
        [0, 1],
      ],
      'all flows have no octets',
    ],
    [
      [
        [0, 0],
        [2 ** 41, 1],
      ],
      'expected 1099511627776 octets at most',
    ],
  ] as [[number, number][], string][])('refuse the points %j', (points, reason) => {
    expect(() => ownSizes('mine', points)).toThrow(reason);
  });
});
