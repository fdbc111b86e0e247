import { expect, it } from 'vitest';
import { wholeNumber, wholeNumberIn } from './option-values.js';

it.each(['', ' 5', '5.5', '-5', '0x10', '1e3', '5 apples', '1234567890123456'])(
  'takes no "%s" for a number',
  (text) => {
    expect(wholeNumberIn(text, { least: 0 })).toBeUndefined();
  },
);

it('takes the ends of the range, and nothing beyond', () => {
  const range = { least: 2, most: 9 };
  expect(['1', '2', '9', '10'].map((text) => wholeNumberIn(text, range))).toEqual([undefined, 2, 9, undefined]);
});

it('says which option it was, and what is expected', () => {
  expect(() => wholeNumber('jobs', 'many', { least: 1, most: 8 })).toThrow(
    '--jobs many: expected a whole number from 1 to 8',
  );
});
