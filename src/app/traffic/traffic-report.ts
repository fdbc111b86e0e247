/** What a traffic job came to, as values: `heddle traffic --json` prints them. Pure. */
import { bandwidthOf, megabits, type TrafficPattern } from '../../core/rlb/bus-bandwidth.js';
import type { AgentAnswer, ReceivingEnd, SendingEnd } from './agent-protocol.js';
import type { PlannedSubflow, TrafficQuestion } from './traffic-plan.js';

export interface SubflowReport extends PlannedSubflow {
  /** That have arrived. */
  readonly octets: number;
  readonly milliseconds: number;
  /** Mbit/s of data. */
  readonly bandwidth: number;
  /** Packets, those sent again among them. */
  readonly sent: number;
  readonly retransmitted: number;
  readonly sequenceErrors: number;
  readonly timeouts: number;
  /** Packets that were sent and did not arrive. */
  readonly lost: number;
  /** Packets that arrived with others before them missing. */
  readonly outOfOrder: number;
  readonly duplicates: number;
  readonly icrcErrors: number;
  readonly malformed: number;
}

export interface TrafficReport {
  readonly pattern: TrafficPattern;
  readonly hosts: readonly string[];
  readonly rlb: boolean;
  /** Of every GPU. */
  readonly octets: number;
  readonly pathMtu: number;
  /** All GPUs have the right words. */
  readonly verified: boolean;
  /** From the first start to the last end. */
  readonly milliseconds: number;
  /** Mbit/s, as NCCL defines them. */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
  readonly subflows: readonly SubflowReport[];
  /** What went wrong, and what was mended. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

export type AgentReport = Extract<AgentAnswer, { kind: 'report' }>;
export type AgentEnd = Extract<AgentAnswer, { kind: 'finished' | 'failed' }>;

export interface AgentOutcome {
  /** Absent: the job ended before it did. */
  readonly end?: AgentEnd;
  readonly report: AgentReport;
}

const NO_SENDER: SendingEnd = {
  sent: 0,
  retransmitted: 0,
  sequenceErrors: 0,
  timeouts: 0,
  octets: 0,
  startedAt: null,
  endedAt: null,
  failure: null,
};
const NO_RECEIVER: ReceivingEnd = {
  received: 0,
  duplicates: 0,
  outOfOrder: 0,
  refused: 0,
  icrcErrors: 0,
  malformed: 0,
  problem: null,
};

/** `outcomes` by rank. */
export function trafficReport(
  question: TrafficQuestion,
  subflows: readonly PlannedSubflow[],
  outcomes: readonly AgentOutcome[],
): TrafficReport {
  const ends = outcomes.flatMap(({ report }) => report.ends);
  const senders = new Map(ends.flatMap((end) => (end.direction === 'out' ? [[end.subflow, end.counters]] : [])));
  const receivers = new Map(ends.flatMap((end) => (end.direction === 'in' ? [[end.subflow, end.counters]] : [])));
  const reports = subflows.map((subflow, number) =>
    subflowReport(subflow, senders.get(number) ?? NO_SENDER, receivers.get(number) ?? NO_RECEIVER),
  );
  const failures = [
    ...subflows.flatMap((subflow, number) => failureOf(subflow, senders.get(number)?.failure ?? null)),
    ...outcomes.flatMap(({ report }, rank) => wrongOf(question.ports[rank]!.host, report)),
  ];
  const finished = outcomes.flatMap(({ end }) => (end?.kind === 'finished' ? [end] : []));
  const complete = finished.length === outcomes.length;
  const started = Math.min(...finished.map(({ startedAt }) => startedAt));
  const milliseconds = complete ? Math.max(...finished.map(({ finishedAt }) => finishedAt)) - started : 0;
  const { pattern, octets, ports } = question;
  const bandwidth = bandwidthOf(pattern, ports.length, { octets, milliseconds });
  return {
    pattern,
    hosts: ports.map(({ host }) => host),
    rlb: question.rlb,
    octets,
    pathMtu: question.transport.pathMtu,
    verified: complete && failures.length === 0,
    milliseconds,
    algorithmBandwidth: bandwidth.algorithm,
    busBandwidth: bandwidth.bus,
    subflows: reports,
    failures,
    warnings: [
      ...subflows.flatMap((subflow, number) => damageOf(subflow, receivers.get(number) ?? NO_RECEIVER)),
      ...outcomes.flatMap(({ report }, rank) => hostWarnings(question.ports[rank]!.host, report)),
    ],
  };
}

function subflowReport(subflow: PlannedSubflow, sender: SendingEnd, receiver: ReceivingEnd): SubflowReport {
  const { sent, retransmitted, sequenceErrors, timeouts, octets, startedAt, endedAt } = sender;
  const { received, outOfOrder, duplicates, icrcErrors, malformed } = receiver;
  const milliseconds = startedAt === null || endedAt === null ? 0 : Math.max(0, endedAt - startedAt);
  return {
    ...subflow,
    octets,
    milliseconds,
    bandwidth: megabits(octets, milliseconds),
    sent,
    retransmitted,
    sequenceErrors,
    timeouts,
    lost: Math.max(0, sent - received - icrcErrors - malformed),
    outOfOrder,
    duplicates,
    icrcErrors,
    malformed,
  };
}

/** `host1 -> host2 queue pair 3 (fc00:1:1:3::5 -> fc00:2:1:3::5, spine3)`. */
function nameOf({ source, destination, queuePair, sourceAddress, destinationAddress, uplink }: PlannedSubflow): string {
  const way = uplink === null ? '' : `, ${uplink}`;
  return `${source} -> ${destination} queue pair ${queuePair} (${sourceAddress} -> ${destinationAddress}${way})`;
}

function failureOf(subflow: PlannedSubflow, failure: string | null): string[] {
  return failure === null ? [] : [`${nameOf(subflow)}: ${failure}`];
}

function wrongOf(host: string, { wrong }: AgentReport): string[] {
  if (wrong === null) return [];
  const hex = (word: number) => `0x${word.toString(16).padStart(8, '0')}`;
  return [`${host}: word ${wrong.index} is ${hex(wrong.found)}, and should be ${hex(wrong.expected)}`];
}

function damageOf(subflow: PlannedSubflow, { icrcErrors, malformed, refused, problem }: ReceivingEnd): string[] {
  return [
    ...(icrcErrors > 0 ? [`${nameOf(subflow)}: ${icrcErrors} with a wrong invariant CRC, not taken`] : []),
    ...(malformed > 0 ? [`${nameOf(subflow)}: ${malformed} that were no packets, not taken: ${problem}`] : []),
    ...(refused > 0 ? [`${nameOf(subflow)}: ${refused} refused: not what was agreed on`] : []),
  ];
}

function hostWarnings(host: string, { strays, sendError }: AgentReport): string[] {
  return [
    ...(strays > 0 ? [`${host}: ${strays} for queue pairs that are not here, not taken`] : []),
    ...(sendError !== null ? [`${host}: not all could be sent at once: ${sendError}`] : []),
  ];
}
