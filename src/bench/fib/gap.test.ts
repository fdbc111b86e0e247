import { describe, expect, it } from 'vitest';
import type { FlowReport, GapReport } from '../../app/lab/probe-report.js';
import { gapOf, probeFlows } from './gap.js';

function report(lost: number, afterCut: GapReport): FlowReport {
  return {
    flow: '',
    sent: 1000,
    received: 1000 - lost,
    reordered: 0,
    spacing: { median: 0.1, p99: 0.2, longest: 3 },
    longestGapMs: afterCut.longestGapMs,
    longestOutageMs: afterCut.longestOutageMs,
    lost,
    marks: [{ name: 'cut', ...afterCut }],
  };
}

describe('a gap', () => {
  it("is the middle prefix's, by the sender's clock; the slowest of all and what was lost in all stand beside it", () => {
    const middle = report(31, { longestGapMs: 9, longestOutageMs: 3, lost: 29 });
    const last = report(7, { longestGapMs: 7.5, longestOutageMs: 7, lost: 7 });
    expect(gapOf([middle, last])).toEqual({
      gap: 3,
      lost: 29,
      slowest: 7,
      lostInAll: 38,
      spacing: { median: 0.1, p99: 0.2, longest: 3 },
    });
  });

  it('is looked for at the middle prefix with every datagram, at the ends with one of ten', () => {
    expect(probeFlows(10).map(({ name, every }) => [name, every])).toEqual([
      ['5', 1],
      ['0', 10],
      ['9', 10],
    ]);
    expect(probeFlows(1).map(({ name, every }) => [name, every])).toEqual([['0', 1]]);
  });
});
