import { expect, it } from 'vitest';
import { Turns } from './turns.js';

it('gives one turn in each round of the event loop, in the order of asking', async () => {
  const turns = new Turns();
  const taken: string[] = [];
  let rounds = 0;
  let counting = true;
  const count = (): void => {
    rounds++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const roundOf: number[] = [];
  const client = async (name: string): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) {
      await turns.next();
      taken.push(`${name}${turn}`);
      roundOf.push(rounds);
    }
  };
  await Promise.all([client('a'), client('b'), client('c')]);
  counting = false;
  expect(taken).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(new Set(roundOf).size).toBe(9);
});
