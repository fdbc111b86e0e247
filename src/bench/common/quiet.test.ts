import { describe, expect, it } from 'vitest';
import { Quiet } from './quiet.js';

/** Looks every 20 ms at a program that works from `from` to `to` and then uses `idle` of a core. */
function watched(from: number, to: number, idle = 0): { readonly quiet: Quiet; readonly knownAt: number } {
  const quiet = new Quiet(from);
  for (let at = from - 200; at < 100_000; at += 20) {
    const worked = Math.min(Math.max(at - from, 0), to - from);
    const cpu = Math.floor((worked + Math.max(0, at - to) * idle) / 10) / 100;
    if (quiet.look(at, cpu)) return { quiet, knownAt: at };
  }
  throw new Error('never quiet');
}

describe('the end of work', () => {
  it('is the moment after which almost no CPU is used', () => {
    const { quiet, knownAt } = watched(1000, 3000);
    expect(quiet.doneAt).toBeGreaterThanOrEqual(2960);
    expect(quiet.doneAt).toBeLessThanOrEqual(3020);
    expect(knownAt).toBeLessThan(3800);
  });

  it('is not put off by timers that go on', () => {
    expect(watched(1000, 3000, 0.015).quiet.doneAt).toBeLessThanOrEqual(3300);
  });

  it('is never before the beginning', () => {
    expect(watched(1000, 1000).quiet.doneAt).toBe(1000);
  });
});
