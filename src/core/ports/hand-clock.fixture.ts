/** A clock that tests move by hand. */
import type { Clock } from './clock.js';

interface Alarm {
  readonly at: number;
  readonly wake: () => void;
}

export class HandClock implements Clock {
  time = 0;
  /** Wake-ups that were asked for so far. */
  scheduled = 0;
  private readonly alarms = new Set<Alarm>();

  /** `soon` is when work that yields goes on: at once, unless told otherwise. */
  constructor(private readonly soon: (work: () => void) => void = (work) => work()) {}

  now(): number {
    return this.time;
  }

  schedule(at: number, wake: () => void): () => void {
    this.scheduled++;
    const alarm = { at, wake };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  yield(work: () => void): void {
    this.soon(work);
  }

  /** When those that are waited for are due. */
  get waiting(): number[] {
    return [...this.alarms].map(({ at }) => at);
  }

  moveTo(time: number): void {
    this.time = time;
    for (const alarm of [...this.alarms]) if (alarm.at <= time && this.alarms.delete(alarm)) alarm.wake();
  }

  advance(milliseconds: number): void {
    this.moveTo(this.time + milliseconds);
  }
}
