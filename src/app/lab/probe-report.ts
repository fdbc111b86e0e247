/** What a traffic probe saw, as figures: loss and the longest gap, in all and between marks in time. Pure. */

export interface Arrival {
  readonly sequence: number;
  /** Milliseconds of the machine's monotonic clock, the same for sender and receiver. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * A moment worth telling apart; its time lasts until the next one. A gap belongs to the mark in whose time most of it lies:
 * its ends are known only as well as the neighbouring datagrams tell.
 */
export interface Mark {
  readonly name: string;
  readonly at: number;
}

export interface GapReport {
  /** Longest time without an arrival, milliseconds; a pause of the sender itself does not count. 0 when nothing arrived. */
  readonly longestGapMs: number;
  /**
   * Longest time in which everything sent was lost, milliseconds, by the sender's clock: on a busy machine the receiver reads
   * late, which is a gap but no outage.
   */
  readonly longestOutageMs: number;
  readonly lost: number;
}

/** Milliseconds between neighbouring datagrams that both arrived, as they were sent: how well the sender kept its interval. */
export interface Spacing {
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
}

export interface FlowReport extends GapReport {
  readonly flow: string;
  readonly sent: number;
  /** Without duplicates. */
  readonly received: number;
  /** Arrived after one that was sent later (RFC 4737 section 3.3). */
  readonly reordered: number;
  readonly spacing: Spacing;
  readonly marks: readonly ({ readonly name: string } & GapReport)[];
}

export interface FlowRecord {
  readonly flow: string;
  readonly sent: number;
  /** Milliseconds between two datagrams. */
  readonly interval: number;
  /** In the order of arrival. */
  readonly arrivals: readonly Arrival[];
  /** When the sender stopped: ends the gap of a flow that never came back. */
  readonly stoppedAt: number;
}

interface Span {
  readonly at: number;
  readonly duration: number;
  readonly lost: number;
}

export function reportFlow(record: FlowRecord, marks: readonly Mark[]): FlowReport {
  const gaps = findGaps(record);
  const losses = findLosses(record);
  const inOrder = [...marks].sort((a, b) => a.at - b.at);
  const whole = summarize(gaps, losses);
  return {
    flow: record.flow,
    sent: record.sent,
    received: record.sent - whole.lost,
    reordered: reorderedIn(record.arrivals),
    spacing: spacingOf(record.arrivals),
    ...whole,
    marks: inOrder.map(({ name }, index) => {
      const mine = (span: Span) => markOf(span, inOrder) === index;
      return { name, ...summarize(gaps.filter(mine), losses.filter(mine)) };
    }),
  };
}

/** Index of the mark, or -1 for what lies before the first one. */
function markOf(span: Span, marks: readonly Mark[]): number {
  let best = -1;
  let most = Math.min(span.at + span.duration, marks[0]?.at ?? Infinity) - span.at;
  for (const [index, { at }] of marks.entries()) {
    const end = marks[index + 1]?.at ?? Infinity;
    const overlap = Math.min(span.at + span.duration, end) - Math.max(span.at, at);
    if (overlap > most) [best, most] = [index, overlap];
  }
  return best;
}

function summarize(gaps: readonly Span[], losses: readonly Span[]): GapReport {
  return {
    longestGapMs: longest(gaps),
    longestOutageMs: longest(losses),
    lost: losses.reduce((total, span) => total + span.lost, 0),
  };
}

/** Pauses between arrivals. */
function findGaps({ arrivals, interval, stoppedAt, sent }: FlowRecord): Span[] {
  const gaps = arrivals.slice(1).map((arrival, index): Span => {
    const previous = arrivals[index]!;
    const pause = arrival.receivedAt - previous.receivedAt;
    const consecutive = arrival.sequence === previous.sequence + 1;
    const duration = consecutive ? pause - (arrival.sentAt - previous.sentAt) + interval : pause;
    return { at: previous.receivedAt, duration, lost: 0 };
  });
  const last = arrivals.at(-1);
  const silentEnd = last !== undefined && last.sequence < sent - 1;
  return silentEnd ? [...gaps, { at: last.receivedAt, duration: stoppedAt - last.receivedAt, lost: 0 }] : gaps;
}

/** Runs of datagrams that never arrived, from the sending of the last one before to that of the first one after. */
function findLosses({ arrivals, sent, stoppedAt }: FlowRecord): Span[] {
  const sorted = [...arrivals].sort((a, b) => a.sequence - b.sequence);
  const losses: Span[] = [];
  let expected = 0;
  let at = sorted[0]?.sentAt ?? stoppedAt;
  for (const { sequence, sentAt } of sorted) {
    if (sequence > expected) losses.push({ at, duration: sentAt - at, lost: sequence - expected });
    expected = Math.max(expected, sequence + 1);
    at = sentAt;
  }
  if (sent > expected) losses.push({ at, duration: stoppedAt - at, lost: sent - expected });
  return losses;
}

function reorderedIn(arrivals: readonly Arrival[]): number {
  let newest = -1;
  let reordered = 0;
  for (const { sequence } of arrivals) {
    if (sequence < newest) reordered++;
    else newest = sequence;
  }
  return reordered;
}

function spacingOf(arrivals: readonly Arrival[]): Spacing {
  const distances: number[] = [];
  for (let i = 1; i < arrivals.length; i++) {
    const [before, after] = [arrivals[i - 1]!, arrivals[i]!];
    if (after.sequence === before.sequence + 1) distances.push(after.sentAt - before.sentAt);
  }
  distances.sort((a, b) => a - b);
  const at = (share: number) => roundTo(distances[Math.floor(share * (distances.length - 1))] ?? 0, 0.01);
  return { median: at(0.5), p99: at(0.99), longest: at(1) };
}

function roundTo(value: number, step: number): number {
  return Math.round(value / step) / Math.round(1 / step);
}

function longest(spans: readonly Span[]): number {
  const most = spans.reduce((maximum, span) => Math.max(maximum, span.duration), 0);
  return roundTo(most, 0.1);
}
