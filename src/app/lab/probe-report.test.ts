import { describe, expect, it } from 'vitest';
import { type Arrival, type FlowRecord, reportFlow } from './probe-report.js';

/** One datagram a millisecond from 1000 on, each arriving 0.1 ms later, but for those lost. */
function record(sent: number, lost: (sequence: number) => boolean): FlowRecord {
  const arrivals: Arrival[] = [];
  for (let sequence = 0; sequence < sent; sequence++) {
    if (!lost(sequence)) arrivals.push({ sequence, sentAt: 1000 + sequence, receivedAt: 1000.1 + sequence });
  }
  return { flow: 'colour 1', sent, interval: 1, arrivals, stoppedAt: 1000 + sent };
}

describe('a flow report', () => {
  it('of an undisturbed flow has no loss and gaps of one interval', () => {
    expect(
      reportFlow(
        record(100, () => false),
        [],
      ),
    ).toEqual({
      flow: 'colour 1',
      sent: 100,
      received: 100,
      reordered: 0,
      spacing: { median: 1, p99: 1, longest: 1 },
      lost: 0,
      longestGapMs: 1,
      longestOutageMs: 0,
      marks: [],
    });
  });

  it('counts what was overtaken', () => {
    const flow = record(6, () => false);
    const arrivals = [0, 3, 1, 2, 5, 4].map((sequence) => flow.arrivals[sequence]!);
    expect(reportFlow({ ...flow, arrivals }, [])).toMatchObject({ reordered: 3, lost: 0 });
  });

  it('gives each gap and loss to the mark in whose time most of it lies', () => {
    const lost = (sequence: number) => (sequence > 40 && sequence < 60) || sequence === 80;
    const report = reportFlow(record(100, lost), [
      { name: 'healed', at: 1070 },
      { name: 'failed', at: 1043 },
    ]);
    expect(report).toMatchObject({ lost: 20, received: 80, longestGapMs: 20 });
    expect(report.marks).toEqual([
      { name: 'failed', longestGapMs: 20, longestOutageMs: 20, lost: 19 },
      { name: 'healed', longestGapMs: 2, longestOutageMs: 2, lost: 1 },
    ]);
  });

  it('counts a flow that never came back until the sender stopped', () => {
    const report = reportFlow(
      record(100, (sequence) => sequence >= 50),
      [{ name: 'failed', at: 1060 }],
    );
    expect(report.marks).toEqual([{ name: 'failed', longestGapMs: 50.9, longestOutageMs: 51, lost: 50 }]);
  });

  it('does not count a pause of the sender as a gap of the network', () => {
    const flow = record(4, () => false);
    const arrivals = flow.arrivals.map((one) =>
      one.sequence < 2 ? one : { ...one, sentAt: one.sentAt + 30, receivedAt: one.receivedAt + 30 },
    );
    expect(reportFlow({ ...flow, arrivals }, []).longestGapMs).toBe(1);
  });

  it('counts a delay on the way, which is a gap but no outage', () => {
    const flow = record(4, () => false);
    const arrivals = flow.arrivals.map((one) => (one.sequence < 2 ? one : { ...one, receivedAt: one.receivedAt + 30 }));
    expect(reportFlow({ ...flow, arrivals }, [])).toMatchObject({ longestGapMs: 31, longestOutageMs: 0 });
  });

  it('takes reordering and duplicates for what they are', () => {
    const flow = record(6, () => false);
    const at = (index: number) => flow.arrivals[index]!;
    const arrivals = [at(0), at(2), at(1), at(3), at(3), at(4), at(5)];
    expect(reportFlow({ ...flow, arrivals }, [])).toMatchObject({ lost: 0, received: 6 });
  });

  it('of a flow of which nothing arrived is all loss', () => {
    expect(
      reportFlow(
        record(10, () => true),
        [],
      ),
    ).toMatchObject({ lost: 10, received: 0, longestGapMs: 0 });
  });
});
