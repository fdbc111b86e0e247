import { describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock.js';
import { Deadline } from './deadline.js';

/** A clock moved by hand that counts how many wake-ups it was asked for. */
class HandClock implements Clock {
  time = 0;
  scheduled = 0;
  private wakes: { at: number; wake: () => void; cancelled: boolean }[] = [];

  now(): number {
    return this.time;
  }

  schedule(at: number, wake: () => void): () => void {
    this.scheduled++;
    const entry = { at, wake, cancelled: false };
    this.wakes.push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  yield(work: () => void): void {
    work();
  }

  moveTo(time: number): void {
    this.time = time;
    const due = this.wakes.filter((entry) => entry.at <= time);
    this.wakes = this.wakes.filter((entry) => entry.at > time);
    for (const entry of due) if (!entry.cancelled) entry.wake();
  }
}

function setUp() {
  const clock = new HandClock();
  const expiries: number[] = [];
  const deadline = new Deadline(clock, () => expiries.push(clock.now()));
  return { clock, expiries, deadline };
}

describe('deadline', () => {
  it('expires once, at its time', () => {
    const { clock, expiries, deadline } = setUp();
    deadline.arm(100);
    clock.moveTo(99);
    expect(expiries).toEqual([]);
    clock.moveTo(100);
    clock.moveTo(500);
    expect(expiries).toEqual([100]);
    expect(deadline.armed).toBe(false);
  });

  it('moves later without a new wake-up each time', () => {
    const { clock, expiries, deadline } = setUp();
    for (let at = 100; at < 1100; at++) deadline.arm(at);
    expect(clock.scheduled).toBe(1);
    clock.moveTo(100);
    expect(expiries).toEqual([]);
    clock.moveTo(1099);
    expect(expiries).toEqual([1099]);
  });

  it('moves earlier', () => {
    const { clock, expiries, deadline } = setUp();
    deadline.arm(100);
    deadline.arm(50);
    clock.moveTo(50);
    clock.moveTo(100);
    expect(expiries).toEqual([50]);
  });

  it('does not expire when cancelled, and can be armed again', () => {
    const { clock, expiries, deadline } = setUp();
    deadline.arm(100);
    deadline.cancel();
    clock.moveTo(200);
    expect(expiries).toEqual([]);
    deadline.arm(300);
    clock.moveTo(300);
    expect(expiries).toEqual([300]);
  });
});
