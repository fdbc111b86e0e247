import { describe, expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.js';

describe('virtual clock', () => {
  it('runs wake-ups in order of time, and of request within one instant', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    for (const [at, name] of [
      [30, 'c'],
      [10, 'a'],
      [30, 'd'],
      [20, 'b'],
    ] as const) {
      clock.schedule(at, () => seen.push(`${name}@${clock.now()}`));
    }
    await clock.runUntil(25);
    expect(seen).toEqual(['a@10', 'b@20']);
    expect(clock.now()).toBe(25);
    await clock.runUntil(100);
    expect(seen).toEqual(['a@10', 'b@20', 'c@30', 'd@30']);
  });

  it('forgets a cancelled wake-up', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const cancel = clock.schedule(10, () => seen.push(1));
    clock.schedule(20, () => seen.push(2));
    cancel();
    await clock.runUntil(50);
    expect(seen).toEqual([2]);
  });

  it('runs promise reactions before the next event', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.schedule(10, async () => {
      await Promise.resolve();
      await Promise.resolve();
      seen.push('reaction');
    });
    clock.schedule(10, () => seen.push('next'));
    await clock.runUntil(10);
    expect(seen).toEqual(['reaction', 'next']);
  });

  it('stops as soon as the condition holds', async () => {
    const clock = new VirtualClock();
    let count = 0;
    for (let at = 1; at <= 100; at++) clock.schedule(at, () => count++);
    expect(await clock.runUntilDone(() => count === 7, 1000)).toBe(true);
    expect(clock.now()).toBe(7);
    expect(await clock.runUntilDone(() => count === 1000, 1000)).toBe(false);
  });

  it('keeps the order over many random wake-ups', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    let state = 1;
    for (let i = 0; i < 500; i++) {
      state = (state * 48271) % 2147483647;
      const at = state % 100;
      clock.schedule(at, () => seen.push(at));
    }
    await clock.runUntil(100);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen).toHaveLength(500);
  });
});
