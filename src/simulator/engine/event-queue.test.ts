import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { EventQueue } from './event-queue.js';

/** Everything in the queue, as the second numbers of its events. */
function drained(queue: EventQueue): number[] {
  const order: number[] = [];
  while (queue.take(Number.POSITIVE_INFINITY)) order.push(queue.second);
  return order;
}

describe('EventQueue', () => {
  it('gives events in order of time, and of one moment in the order they came', () => {
    const random = new SeededRandom(7);
    const queue = new EventQueue();
    const expected: { time: number; order: number }[] = [];
    const taken: number[] = [];
    let order = 0;
    for (let round = 0; round < 20_000; round++) {
      const far = random.next() < 0.1;
      const time = queue.now + Math.floor(random.next() * (far ? 1e9 : 3000)) * (random.next() < 0.5 ? 1 : 1024);
      queue.schedule(time, 0, 0, order);
      expected.push({ time, order: order++ });
      if (random.next() < 0.45 && queue.take(Number.POSITIVE_INFINITY)) taken.push(queue.second);
    }
    taken.push(...drained(queue));
    // Events are scheduled at or after the clock, so what was taken in between is what a sort of all gives.
    expected.sort((a, b) => a.time - b.time || a.order - b.order);
    expect(taken).toEqual(expected.map((event) => event.order));
    expect(queue.size).toBe(0);
  });

  it('keeps what is due after the limit', () => {
    const queue = new EventQueue();
    queue.schedule(10, 1, 2, 3);
    queue.schedule(5e9, 4, 5, 6);
    expect(queue.take(9)).toBe(false);
    expect(queue.take(10)).toBe(true);
    expect([queue.now, queue.kind, queue.first, queue.second]).toEqual([10, 1, 2, 3]);
    expect(queue.take(4.9e9)).toBe(false);
    expect(queue.take(5e9)).toBe(true);
    expect(queue.now).toBe(5e9);
  });

  it('finds an event that is put in before all others after a long silence', () => {
    const queue = new EventQueue();
    queue.schedule(1e12, 0, 0, 1);
    expect(queue.take(1e12)).toBe(true);
    queue.schedule(1e12 + 9e6, 0, 0, 2);
    queue.schedule(1e12 + 1, 0, 0, 3);
    expect(drained(queue)).toEqual([3, 2]);
  });
});
