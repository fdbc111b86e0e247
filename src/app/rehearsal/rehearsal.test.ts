import { describe, expect, it } from 'vitest';
import type { Clock } from '../../core/ports/clock.js';
import { Rehearsal } from './rehearsal.js';

/** Milliseconds that pass from one look at the clock to the next. */
const PASSING = 0.125;

/** Time that passes by being looked at, with what is asked of it: turns, and wake-ups that nobody has had or cancelled. */
class CountingClock implements Clock {
  private time = 0;
  turns = 0;
  readonly waits: number[] = [];
  readonly open = new Set<NodeJS.Timeout>();
  /** Called before each turn. */
  onTurn: (turn: number) => void = () => {};

  now(): number {
    this.time += PASSING;
    return this.time;
  }

  schedule(at: number, wake: () => void): () => void {
    this.waits.push(at - this.time);
    const timer = setTimeout(() => {
      this.open.delete(timer);
      this.time = Math.max(this.time, at);
      wake();
    });
    this.open.add(timer);
    return () => {
      clearTimeout(timer);
      this.open.delete(timer);
    };
  }

  yield(work: () => void): void {
    this.onTurn(++this.turns);
    setImmediate(work);
  }
}

describe('a rehearsal', () => {
  it('ends by itself, rests between its pieces, and leaves no wake-up behind', async () => {
    const clock = new CountingClock();
    await new Rehearsal(
      clock,
      () => false,
      () => {},
    ).run();
    expect(clock.turns).toBeGreaterThan(100);
    expect(clock.waits.length).toBeGreaterThan(5);
    expect(clock.open.size).toBe(0);
  });

  it.each(['at its start', 'in the middle'])('does nothing more when it is stopped %s', async (when) => {
    const clock = new CountingClock();
    const rehearsal = new Rehearsal(
      clock,
      () => false,
      () => {},
    );
    const last = when === 'at its start' ? 1 : 60;
    clock.onTurn = (turn) => turn === last && rehearsal.stop();
    await rehearsal.run();
    expect(clock.turns).toBe(last);
    expect(clock.open.size).toBe(0);
  });

  it('does nothing while there is real work, and does not keep who stops it waiting', async () => {
    const clock = new CountingClock();
    let asked = 0;
    const rehearsal = new Rehearsal(
      clock,
      () => {
        if (++asked === 3) setImmediate(() => rehearsal.stop());
        return true;
      },
      () => {},
    );
    await rehearsal.run();
    expect(asked).toBe(3);
    expect(clock.turns).toBe(1);
    expect(clock.open.size).toBe(0);
  });

  it('goes on when the real work is over', async () => {
    const clock = new CountingClock();
    let asked = 0;
    const rehearsal = new Rehearsal(
      clock,
      () => ++asked <= 2,
      () => {},
    );
    clock.onTurn = (turn) => turn === 5 && rehearsal.stop();
    await rehearsal.run();
    expect(clock.waits.slice(0, 2)).toEqual([50, 50]);
    expect(clock.turns).toBe(5);
  });

  it('has code optimised sooner once it is warm, but not while there is real work, nor afterwards', async () => {
    const clock = new CountingClock();
    const course: string[] = [];
    let isReal = false;
    const rehearsal = new Rehearsal(
      clock,
      () => {
        const was = isReal;
        isReal = false;
        if (was) course.push('work');
        return was;
      },
      (sooner) => {
        const word = sooner ? 'sooner' : 'as usual';
        if (course.at(-1) === word) return;
        course.push(word);
        if (course.length === 2) isReal = true;
        if (course.length === 5) rehearsal.stop();
      },
    );
    await rehearsal.run();
    expect(course).toEqual(['as usual', 'sooner', 'work', 'as usual', 'sooner', 'as usual']);
  });
});
