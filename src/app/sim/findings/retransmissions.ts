/** Why packets were sent again, and what that cost: reordering under go-back-N, losses, time-outs. Pure. */
import { aRun, type Evidence, type Finder, lostInARun, percent, total } from './evidence.js';

/** Of data packets sent again. */
const WORTH_SAYING = 0.001;

export const sentAgain: Finder = (evidence) => {
  const { runs, scheme } = evidence;
  const data = total(runs, ({ packets }) => packets.data);
  const resent = total(runs, ({ packets }) => packets.resent);
  const share = resent / Math.max(1, data);
  if (share < WORTH_SAYING) return undefined;
  const octets =
    total(runs, (run) => run.octets.resent) /
    Math.max(
      1,
      total(runs, (run) => run.octets.data),
    );
  const outOfOrder = total(runs, ({ packets }) => packets['out-of-order']);
  const cost = `Repeats were ${percent(octets)} of the octets that hosts sent.`;
  return {
    scheme,
    kind: 'sent-again',
    text: `${percent(share)} of data packets were sent again: ${reason(evidence, outOfOrder)} ${cost}`,
    values: { sentAgain: share, octetsSentAgain: octets, outOfOrder, lost: lostOf(evidence) },
  };
};

function reason(evidence: Evidence, outOfOrder: number): string {
  const lost = lostOf(evidence);
  // What follows a loss comes out of order as well.
  if (total(evidence.runs, ({ packets }) => packets.overtaken) > lost) return ofReordering(evidence, outOfOrder, lost);
  if (lost === 0) return ofSilence(evidence);
  const losses = lostInARun(lost, 'data packets', evidence);
  return evidence.transport.reliability === 'go-back-n'
    ? `${losses}, and go-back-N sends all again that followed a loss.`
    : `${losses}; receivers keep what comes after a gap, so that only what is missing is sent again.`;
}

function ofReordering(evidence: Evidence, outOfOrder: number, lost: number): string {
  const came = total(evidence.runs, ({ packets }) => packets.data);
  const found = `${aRun(outOfOrder, 'packets', evidence)} (${percent(outOfOrder / Math.max(1, came))}) arrived out of order, ${
    lost === 0 ? 'though none was lost' : `and only ${lostInARun(lost, 'data packets', evidence)}`
  }`;
  switch (evidence.transport.reliability) {
    case 'go-back-n':
      return `${found}; go-back-N keeps nothing that follows a gap: the receiver discards it and complains, and the sender starts again at the gap.`;
    case 'irn':
      return `${found}; IRN takes what is overtaken for lost and sends it again at once.`;
    default:
      return `${found}; the NIC places what comes early, but not what comes more than its window ahead.`;
  }
}

/** What is acknowledged is sent again where that is not heard. */
function ofSilence(evidence: Evidence): string {
  const answers = total(evidence.runs, ({ packets }) => packets['answers-lost']);
  const silence = answers === 0 ? 'answers came too late' : lostInARun(answers, 'answers', evidence);
  return `no data packet was lost or came out of order, but ${silence}, and senders that hear nothing start again after a time-out.`;
}

const LOSSES = [
  ['dropped-down', 'at links that were down'],
  ['dropped-unreachable', 'at switches that had no way for them'],
  ['lost', 'on the wire'],
  ['dropped-full', 'for want of buffer'],
  ['dropped-by-watchdog', 'by the PFC watchdog'],
] as const;

export const losses: Finder = (evidence) => {
  const { runs, scheme } = evidence;
  const answers = total(runs, ({ packets }) => packets['answers-lost']);
  if (lostOf(evidence) + answers === 0) return undefined;
  const counted = LOSSES.map(([counter, where]) => ({
    counter,
    where,
    count: total(runs, ({ packets }) => packets[counter]),
  })).filter(({ count }) => count > 0);
  const places = counted.map(({ count, where }) => aRun(count, where, evidence)).join(', ');
  const ofData = counted.length === 0 ? 'No data packet was lost.' : `Data packets were lost: ${places}.`;
  const ofAnswers =
    answers === 0
      ? ''
      : ` Lost were also ${aRun(answers, 'answers', evidence)} (ACKs, NAKs, CNPs); an ACK that comes later says the same.`;
  const timeouts = total(runs, (run) => run.packets.timeouts);
  const waiting =
    timeouts === 0
      ? ''
      : ` Senders ran into ${aRun(timeouts, 'time-outs', evidence)}, and a queue pair that waits for one sends nothing.`;
  return {
    scheme,
    kind: 'losses',
    text: `${ofData}${ofAnswers}${waiting}`,
    values: { ...Object.fromEntries(counted.map(({ counter, count }) => [counter, count])), answers, timeouts },
  };
};

function lostOf({ runs }: Evidence): number {
  return total(runs, ({ packets }) => LOSSES.reduce((sum, [counter]) => sum + packets[counter], 0));
}

export const unfinished: Finder = (evidence) => {
  const { runs, scheme, limit } = evidence;
  const count = total(runs, ({ flows }) => flows.count);
  const left = count - total(runs, ({ flows }) => flows.finished);
  if (left === 0) return undefined;
  // Collectives and training jobs have no flows of their own.
  const what = runs.every(({ flows }) => flows.octets === 0) ? 'operations' : 'flows';
  const rest = left === count ? '' : '; slowdowns are of those that had, and so are too good';
  return {
    scheme,
    kind: 'unfinished',
    text: `${left} of ${count} ${what} had not ended when the study's limit of ${limit} us was reached${rest}.`,
    values: { left, count, limit },
  };
};
