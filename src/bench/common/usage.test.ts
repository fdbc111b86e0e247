import { describe, expect, it } from 'vitest';
import { cpuTicks, peakKibibytes, routeEntries } from './usage.js';

describe('what /proc says', () => {
  it('of CPU time is user and system time, whatever the name of the process', () => {
    const stat = '42 (my (odd) name) S 1 42 42 0 -1 4194560 900 0 0 0 17 5 0 0 20 0 11 0 100 1000 100';
    expect(cpuTicks(stat)).toBe(22);
  });

  it('of memory is the peak', () => {
    expect(peakKibibytes('Name:\tnode\nVmPeak:\t 99999 kB\nVmHWM:\t   51200 kB\nVmRSS:\t 40000 kB\n')).toBe(51200);
  });

  it('of routes is a hexadecimal number', () => {
    expect(routeEntries('0005 0003 186a8 186a7 0000 0007 0000\n')).toBe(0x186a7);
  });
});
