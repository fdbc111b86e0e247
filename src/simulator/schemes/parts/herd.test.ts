import { expect, it } from 'vitest';
import { Herd } from './herd.js';

it('counts flowlets that follow another of their switch within the interval, and what chance would make of them', () => {
  const herd = new Herd(2, 100);
  // Of the first switch: one alone, two that follow, one that goes elsewhere, one that comes too late to count.
  for (const [port, now] of [
    [7, 0],
    [7, 50],
    [7, 149],
    [8, 160],
    [8, 260],
  ] as const)
    herd.began(0, port, 4, now);
  expect(herd.counters()).toEqual({ soonAfter: 3, followed: 2, followedByChance: 1 });
  // Another switch has another past.
  herd.began(1, 8, 2, 261);
  expect(herd.counters().soonAfter).toBe(3);
  herd.began(1, 8, 2, 262);
  herd.began(1, 8, 2, 263);
  expect(herd.counters()).toEqual({ soonAfter: 5, followed: 4, followedByChance: 2 });
});
