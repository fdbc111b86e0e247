import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReadingTurns } from './reading-turns.js';

/** Keeps the thread busy for so many milliseconds. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

it('does at once what little there is, and leaves what is beyond a turn to the next ones, in order', async () => {
  const turns = new ReadingTurns();
  const done: number[] = [];
  for (const piece of [1, 2, 3, 4])
    turns.take(() => {
      work(16);
      done.push(piece);
    });
  expect(done).toEqual([1]);
  await turn();
  expect(done).toEqual([1, 2]);
  turns.take(() => done.push(5));
  for (let left = 3; left > 0; left--) await turn();
  expect(done).toEqual([1, 2, 3, 4, 5]);
  turns.take(() => done.push(6));
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
});

it('goes on behind work that throws', async () => {
  const turns = new ReadingTurns();
  const done: string[] = [];
  expect(() =>
    turns.take(() => {
      work(16);
      throw new Error('broken');
    }),
  ).toThrow('broken');
  turns.take(() => done.push('next'));
  await turn();
  await turn();
  expect(done).toEqual(['next']);
});
