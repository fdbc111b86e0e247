/** The 32-bit words that GPUs send each other in trials: known to everybody, different everywhere. Pure. */

/** Word `index` of what `rank` has at the beginning. */
export function testWord(seed: number, rank: number, index: number): number {
  let mix =
    Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(rank + 1, 0xc2b2ae35) ^ Math.imul(index + 1, 0x27d4eb2f);
  mix = Math.imul(mix ^ (mix >>> 15), 0x2c1b3c6d);
  mix = Math.imul(mix ^ (mix >>> 12), 0x297a2d39);
  return (mix ^ (mix >>> 15)) >>> 0;
}

export interface WrongWord {
  readonly index: number;
  readonly found: number;
  readonly expected: number;
}

/** The first word that is not as expected. */
export function findWrongWord(words: Uint32Array, expected: (index: number) => number): WrongWord | undefined {
  for (let index = 0; index < words.length; index++) {
    const due = expected(index);
    if (words[index] !== due) return { index, found: words[index]!, expected: due };
  }
  return undefined;
}
