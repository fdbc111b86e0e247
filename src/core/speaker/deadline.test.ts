import { describe, expect, it } from 'vitest';
import { HandClock } from '../ports/hand-clock.fixture.js';
import { Deadline } from './deadline.js';

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
