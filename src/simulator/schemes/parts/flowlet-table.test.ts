import { describe, expect, it } from 'vitest';
import { FlowletTable, refusesTableSize } from './flowlet-table.js';

const GAP = 100e6;

describe('FlowletTable', () => {
  it('goes on with a flowlet as long as no gap is longer than its own', () => {
    const table = new FlowletTable(16, GAP);
    expect(table.arrive(3, 5)).toBe(-1);
    table.assign(3, 7);
    expect(table.arrive(3, 5 + GAP - 1)).toBe(7);
    expect(table.arrive(3, 5 + GAP - 1 + GAP)).toBe(7);
    expect(table.arrive(3, 5 + 3 * GAP)).toBe(-1);
    expect(table.portOf(3)).toBe(7);
  });

  it('counts a gap from the last packet, not from the first', () => {
    const table = new FlowletTable(16, GAP);
    table.arrive(0, 0);
    table.assign(0, 1);
    for (let time = 0; time < 10 * GAP; time += GAP / 2) expect(table.arrive(0, time)).toBe(1);
  });

  it('knows of no port before one was assigned, port 0 included', () => {
    const table = new FlowletTable(2, GAP);
    expect([table.arrive(0, 1), table.portOf(0), table.portOf(1)]).toEqual([-1, -1, -1]);
    table.assign(0, 0);
    expect([table.arrive(0, 2), table.portOf(1)]).toEqual([0, -1]);
  });

  it('has a place for every hash, the largest as well', () => {
    const table = new FlowletTable(2048, GAP);
    expect([table.entryOf(0), table.entryOf(2048), table.entryOf(0xffffffff)]).toEqual([0, 0, 2047]);
  });

  it('says which sizes cannot be', () => {
    expect(refusesTableSize('flowsets', 2048)).toBeUndefined();
    for (const size of [0, 1, 3, 2.5, -4, Number.NaN, 2 ** 25])
      expect(refusesTableSize('flowsets', size)).toContain(`flowsets ${size}`);
  });
});
