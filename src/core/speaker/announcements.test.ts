/** What neighbours are told waits for the kernel, withdrawals and changes do not. */
import { describe, expect, it } from 'vitest';
import { HandClock } from '../ports/hand-clock.fixture.js';
import { Announcements } from './announcements.js';

function setUp() {
  const told: number[][] = [];
  const held: number[] = [];
  const selected = new Set<number>();
  const clock = new HandClock();
  clock.moveTo(500);
  let changes = 0;
  const announcements = new Announcements({
    rib: {
      hold: (id) => void held.push(id),
      release: (id) => void held.splice(held.indexOf(id), 1),
      bestPath: (id) => (selected.has(id) ? 1 : undefined),
    },
    clock,
    out: { prefixesChanged: (ids, count) => void told.push([...ids.subarray(0, count)]) },
    changed: () => changes++,
  });
  const change = (...ids: number[]) => announcements.prefixesChanged(Uint32Array.from(ids), ids.length);
  return { announcements, change, told, held, selected, clock, changes: () => changes };
}

describe('announcements', () => {
  it('wait for the kernel, in order, while what it forwards already is told at once', () => {
    const { announcements, change, told, held, selected, clock, changes } = setUp();
    for (const id of [1, 2, 3]) selected.add(id);
    announcements.wait(3);
    announcements.wait(1);
    change(1, 2, 3);
    expect(told).toEqual([[2]]);
    expect(held).toEqual([3, 1]);
    announcements.tell();
    expect(told).toEqual([[2], [3, 1]]);
    expect(held).toEqual([]);
    expect(clock.waiting).toEqual([]);
    expect(changes()).toBe(1);
    change(1);
    expect(told.at(-1)).toEqual([1]);
  });

  it('do not keep a withdrawal', () => {
    const { announcements, change, told } = setUp();
    announcements.wait(1);
    change(1);
    expect(told).toEqual([[1]]);
  });

  it('wait a second at most', () => {
    const { announcements, change, told, selected, clock } = setUp();
    selected.add(7);
    announcements.wait(7);
    announcements.wait(7);
    change(7);
    expect(clock.waiting).toEqual([]);
    announcements.limit();
    announcements.limit();
    expect(clock.waiting).toEqual([1500]);
    clock.moveTo(1500);
    expect(told).toEqual([[7]]);
    announcements.limit();
    expect(clock.waiting).toEqual([]);
    announcements.wait(7);
    announcements.limit();
    expect(clock.waiting).toEqual([2500]);
  });

  it('tell more than fits into a slice, and nothing when nothing waits', () => {
    const { announcements, told, changes } = setUp();
    announcements.tell();
    expect(changes()).toBe(0);
    for (let id = 0; id < 600; id++) announcements.wait(id);
    announcements.tell();
    expect(told.flat()).toEqual(Array.from({ length: 600 }, (_, id) => id));
  });
});
