import { describe, expect, it } from 'vitest';
import { ansiPaint, plainPaint } from './paint.js';
import { pairs, table } from './table.js';

const COLUMNS = [{ title: 'NAME' }, { title: 'COUNT', align: 'right' as const }, { title: 'LAST' }];

describe('table', () => {
  it('aligns columns, and leaves no blanks at line ends', () => {
    expect(table(COLUMNS, [{ cells: ['a', '1', 'x'] }, { cells: ['a-long-name', '1000000', ''] }], plainPaint)).toEqual(
      ['NAME           COUNT  LAST', 'a                  1  x', 'a-long-name  1000000'],
    );
  });

  it('puts a note under its row', () => {
    const note = { text: 'why', style: (text: string) => `<${text}>` };
    expect(table([{ title: 'NAME' }], [{ cells: ['a'], note }, { cells: ['b'] }], plainPaint)).toEqual([
      'NAME',
      'a',
      '    <why>',
      'b',
    ]);
  });

  it('aligns by what is seen, not by escape sequences', () => {
    const rows = [{ cells: [{ text: 'red', style: ansiPaint.bad }, '1', 'x'] }];
    expect(table([{ title: 'A' }, { title: 'B' }, { title: 'C' }], rows, plainPaint)).toEqual([
      'A    B  C',
      '\u001b[31mred\u001b[0m  1  x',
    ]);
  });
});

describe('pairs', () => {
  it('aligns the values', () => {
    expect(
      pairs(
        [
          ['a', '1'],
          ['long', '2'],
        ],
        plainPaint,
      ),
    ).toEqual(['a     1', 'long  2']);
  });
});

describe('fabric colours', () => {
  it.each([
    [1, '\u001b[32mx\u001b[0m'],
    [2, '\u001b[94mx\u001b[0m'],
    [3, '\u001b[91mx\u001b[0m'],
    [4, '\u001b[38;5;208mx\u001b[0m'],
    [9, '\u001b[32mx\u001b[0m'],
    [4_294_967_295, '\u001b[33mx\u001b[0m'],
    [0, 'x'],
    [null, 'x'],
  ])('colour %s', (colour, expected) => {
    expect(ansiPaint.fabric(colour)('x')).toBe(expected);
  });
});
