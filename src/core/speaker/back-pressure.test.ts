import { beforeEach, expect, it } from 'vitest';
import { HandClock } from '../ports/hand-clock.fixture.js';
import { BackPressure, type PausedReader } from './back-pressure.js';

let clock: HandClock;
let waiting: number;
let pressure: BackPressure;

class Session implements PausedReader {
  isPaused = false;
  pauseReading(): void {
    this.isPaused = true;
  }
  resumeReading(): void {
    this.isPaused = false;
  }
}

beforeEach(() => {
  clock = new HandClock();
  waiting = 0;
  pressure = new BackPressure(clock, () => waiting);
});

function elapse(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 5) clock.advance(5);
}

it('does not read who brings many routes while many wait, and reads all others', () => {
  const [busy, calm, early] = [new Session(), new Session(), new Session()];
  pressure.hasRead(early, 6000);
  waiting = 5000;
  pressure.hasRead(busy, 6000);
  pressure.hasRead(calm, 1);
  expect([busy.isPaused, calm.isPaused, early.isPaused]).toEqual([true, false, false]);
});

it('reads one after the other again as the kernel follows, the one first that has waited longest', () => {
  const sessions = [new Session(), new Session()];
  waiting = 5000;
  for (const session of sessions) pressure.hasRead(session, 6000);
  elapse(50);
  expect(sessions.map(({ isPaused }) => isPaused)).toEqual([true, true]);
  waiting = 100;
  elapse(5);
  expect(sessions.map(({ isPaused }) => isPaused)).toEqual([false, true]);
  elapse(5);
  expect(sessions.map(({ isPaused }) => isPaused)).toEqual([false, false]);
});

it('reads a session after a second in any case: its hold timer runs, whatever the kernel does', () => {
  const session = new Session();
  waiting = 5000;
  pressure.hasRead(session, 6000);
  elapse(990);
  expect(session.isPaused).toBe(true);
  elapse(20);
  expect(session.isPaused).toBe(false);
});

it('does nothing any more for a session that is gone', () => {
  const session = new Session();
  waiting = 5000;
  pressure.hasRead(session, 6000);
  pressure.forget(session);
  elapse(2000);
  expect(session.isPaused).toBe(true);
});
