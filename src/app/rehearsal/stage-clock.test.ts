import { describe, expect, it } from 'vitest';
import { StageClock } from './stage-clock.js';

/** A real clock that a piece moves by hand. */
function stage() {
  const real = { time: 0, now: () => real.time };
  return { real, clock: new StageClock(real), done: [] as string[] };
}

describe('the time of a rehearsal', () => {
  it('does one piece at a time, in order, and says when there is none', () => {
    const { clock, done } = stage();
    for (const name of ['first', 'second']) clock.yield(() => void done.push(name));
    expect(clock.step(0)).toBe(true);
    expect(done).toEqual(['first']);
    expect([clock.step(0), clock.step(0)]).toEqual([true, false]);
    expect(done).toEqual(['first', 'second']);
  });

  it('goes on faster than the real one in a piece, and stands between two', () => {
    const { real, clock } = stage();
    clock.yield(() => {
      real.time += 1;
      expect(clock.now()).toBe(5);
    });
    clock.step(0);
    real.time += 100;
    expect(clock.now()).toBe(5);
  });

  it('jumps to the earliest wake-up before the limit when nothing is ready', () => {
    const { clock, done } = stage();
    clock.schedule(500, () => void done.push(`late ${clock.now()}`));
    clock.schedule(200, () => void done.push(`early ${clock.now()}`));
    const cancel = clock.schedule(100, () => void done.push('cancelled'));
    cancel();
    expect([clock.step(400), clock.step(400)]).toEqual([true, false]);
    expect(done).toEqual(['early 200']);
    expect(clock.now()).toBe(400);
    expect(clock.step(501)).toBe(true);
    expect(done).toEqual(['early 200', 'late 500']);
  });

  it('stands again after a piece that throws', () => {
    const { real, clock } = stage();
    clock.yield(() => {
      throw new Error('broken');
    });
    expect(() => clock.step(0)).toThrow('broken');
    real.time += 100;
    expect(clock.now()).toBe(0);
  });
});
