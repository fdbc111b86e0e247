import { describe, expect, it } from 'vitest';
import { Results } from '../common/results.js';
import { FIGURE as FIB_FIGURE } from '../fib/figures.js';
import { parseOptions } from './options.js';
import {
  BARE,
  COST,
  ECMP,
  FIGURE,
  FLOWLET,
  judge,
  KERNEL,
  NOBODY,
  PER_PACKET,
  PLANE,
  RESILIENT,
  type RowName,
  rateFigure,
  receivedFigure,
  sentFigure,
} from './subjects.js';

describe('npm run bench:dlb', () => {
  it('takes rows, rounds and names', () => {
    expect(parseOptions([])).toEqual({
      rows: ['cost', 'rate', 'balance', 'reorder', 'gap'],
      rounds: 5,
      report: undefined,
      name: 'dlb-bench',
    });
    expect(parseOptions(['--rows', 'rate', '--rounds', '2', '--report', 'x.md'])).toMatchObject({
      rows: ['rate'],
      rounds: 2,
      report: 'x.md',
    });
  });

  it.each([
    [['--rows', 'speed'], '--rows: speed is none of cost, rate, balance, reorder, gap'],
    [['--rounds', '0'], '--rounds 0: expected a whole number from 1'],
  ])('refuses %j', (parameters, message) => expect(() => parseOptions(parameters)).toThrow(message));

  it('judges by ratios of the same run', () => {
    const results = new Results<RowName>();
    const add = (row: RowName, figure: string, subject: string, value: number) =>
      results.add({ row, figure, subject, value });
    expect(judge(results)).toEqual([]);
    for (const [subject, value] of [
      [BARE, 6],
      [FLOWLET, 52],
      [PER_PACKET, 38],
    ] as const)
      add('cost', COST, subject, value);
    add('rate', rateFigure(128), FLOWLET, 6);
    add('rate', rateFigure(128), KERNEL, 2);
    expect(judge(results).map(({ met, shown }) => [met, shown])).toEqual([
      [false, '46 ns more (52 against 6)'],
      [true, '32 ns more (38 against 6)'],
      [true, '3.0 x (6.00 against 2.00 Mpps)'],
    ]);
  });

  it('judges forwarding without the sender', () => {
    const results = new Results<RowName>();
    for (const [subject, value] of [
      [NOBODY, 2],
      [BARE, 1.6],
      [FLOWLET, 1.25],
      [KERNEL, 0.8],
    ] as const)
      results.add({ row: 'rate', figure: sentFigure(4096), subject, value });
    expect(judge(results).map(({ met, shown }) => [met, shown])).toEqual([
      [false, '2.5 x (300 against 750 ns a packet, a bare redirect 125; with the sender 1.56 x)'],
    ]);
  });

  it('judges what packets notice, and says what the others did', () => {
    const results = new Results<RowName>();
    const add = (row: RowName, figure: string, subject: string, value: number) =>
      results.add({ row, figure, subject, value });
    add('rate', receivedFigure(128), FLOWLET, 5);
    add('rate', receivedFigure(128), KERNEL, 2);
    for (const [subject, value] of [
      [FLOWLET, 1.04],
      [ECMP, 1.5],
      [RESILIENT, 1.25],
    ] as const)
      add('balance', FIGURE.imbalance, subject, value);
    for (const value of [0, 1, 0]) add('reorder', FIGURE.reordered, FLOWLET, value);
    add('reorder', FIGURE.moves, FLOWLET, 40);
    for (const [subject, lost] of [
      [PLANE, 2],
      ['kernel', 0],
    ] as const) {
      add('gap', FIB_FIGURE.lost(1, 'set down'), subject, lost);
      add('gap', FIB_FIGURE.gap(1, 'set down'), subject, lost / 10);
    }
    expect(judge(results).map(({ met, shown }) => [met, shown])).toEqual([
      [false, '2.5 x (5.00 against 2.00 Mpps)'],
      [true, '4.0 % over the mean (ECMP 50.0 %, resilient group 25.0 %)'],
      [false, '1 at most, with up to 40 moves (ECMP -, per-packet -)'],
      [false, '2 lost, 0.2 ms (kernel 0, heddle -, FRR -)'],
    ]);
  });
});
