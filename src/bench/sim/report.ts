/** The tables of `npm run bench:sim`: what was measured, what other simulators took, and whether targets are met. Pure. */
import { type Spread, spreadOf } from '../common/statistics.js';
import { renderTable, short, spreadCell } from '../common/table.js';
import type { SimMeasurement } from './run-protocol.js';
import type { SimWorkload } from './workloads.js';

const MILLION = 1e6;
const THOUSAND = 1e3;

export interface Measured {
  readonly workload: SimWorkload;
  readonly rounds: readonly SimMeasurement[];
}

/** Ratios are of CPU seconds, ours and `user` of the others, which other work of the machine changes least. */
export function reportLines(measured: readonly Measured[]): string[] {
  return [
    ...renderTable([
      ['workload', 'wall, s', 'CPU, s', 'M events/s', 'k packets/s', 'MB'],
      ...measured.flatMap(({ workload, rounds }) => [ownRow(workload, rounds), anchorRow(workload)]),
    ]),
    '',
    ...measured.flatMap(verdicts),
  ];
}

function ownRow({ name }: SimWorkload, rounds: readonly SimMeasurement[]): string[] {
  const cell = (value: (round: SimMeasurement) => number) => spreadCell(spreadOf(rounds.map(value)));
  return [
    `${name}, heddle`,
    cell(({ wall }) => wall),
    cell(({ cpu }) => cpu),
    cell(({ events, wall }) => events / wall / MILLION),
    cell(({ dataPackets, wall }) => dataPackets / wall / THOUSAND),
    cell(({ memory }) => memory),
  ];
}

function anchorRow({ name, anchor }: SimWorkload): string[] {
  const { simulator, wall, user, events, dataPackets, memory } = anchor;
  return [
    `${name}, ${simulator}`,
    ...[wall, user, events / user / MILLION, dataPackets / user / THOUSAND, memory].map(short),
  ];
}

function verdicts({ workload, rounds }: Measured): string[] {
  const { anchor, packetRatio, memoryRatio } = workload;
  const middle = (value: (round: SimMeasurement) => number): Spread => spreadOf(rounds.map(value));
  // Ours by the clock, theirs by their CPU time: what their runs waited for is nothing of theirs.
  const packets = middle(({ dataPackets, wall }) => dataPackets / wall).median / (anchor.dataPackets / anchor.user);
  const events = middle(({ events, wall }) => events / wall).median / (anchor.events / anchor.user);
  const memory = middle((round) => round.memory).median / anchor.memory;
  const line = (target: string, met: boolean, shown: string) =>
    `- ${workload.name}: ${target}: ${met ? 'met' : '**not met**'} (${shown} x)`;
  return [
    line(`data packets a second, ${packetRatio} x ${anchor.simulator}'s`, packets >= packetRatio, short(packets)),
    ...(memoryRatio === undefined
      ? [`- ${workload.name}: ${short(memory)} x ${anchor.simulator}'s memory`]
      : [line(`memory, at most ${memoryRatio} x`, memory <= memoryRatio, short(memory))]),
    `- ${workload.name}: ${short(events)} x the events a second, of which heddle needs ${short(middle((round) => round.events).median / anchor.events)} x as many`,
    ...unfinished(workload, rounds),
  ];
}

function unfinished({ name }: SimWorkload, rounds: readonly SimMeasurement[]): string[] {
  const left = rounds.filter(({ finished, flows }) => finished < flows);
  return left.length === 0 ? [] : [`- **${name}: flows did not end in ${left.length} rounds**`];
}
