import { describe, expect, it } from 'vitest';
import { colourText, formatDuration, listOrDash, orDash } from './words.js';

describe('formatDuration', () => {
  it.each([
    [0, '0.0s'],
    [999, '0.9s'],
    [1000, '1s'],
    [59_999, '59s'],
    [62_000, '1m02s'],
    [3_599_999, '59m59s'],
    [3_600_000, '1h00m'],
    [86_400_000 - 1, '23h59m'],
    [86_400_000 * 5 + 3_600_000 * 6, '5d06h'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

it('words', () => {
  expect([colourText(2), colourText(7), colourText(0), colourText(null)]).toEqual(['2 blue', '7', '0', '-']);
  expect([orDash(0), orDash(''), orDash(null), orDash('x')]).toEqual(['0', '-', '-', 'x']);
  expect([listOrDash([]), listOrDash(['a', 'b']), listOrDash(['a', 'b'], ', ')]).toEqual(['-', 'a b', 'a, b']);
});
