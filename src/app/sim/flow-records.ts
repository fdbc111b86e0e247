/** Every flow of a run by itself, for other programs: the lines of `heddle sim compare --flows-out`. Pure. */
import type { Topology } from '../../simulator/network/topology.js';
import type { FlowLog } from '../../simulator/results/flow-log.js';
import type { FlowOutcome } from '../../simulator/results/run-result.js';
import type { Flow } from '../../simulator/workload/flow-list.js';
import { type CsvValue, csvLine } from './csv.js';

export interface FlowRecord {
  readonly source: string;
  readonly destination: string;
  readonly octets: number;
  /** Microseconds; `end` and `slowdown` are left out for a flow that did not end. */
  readonly start: number;
  readonly end?: number;
  readonly slowdown?: number;
  /** Packets. */
  readonly sentAgain: number;
  readonly outOfOrder: number;
  /** Ways through the fabric by which its packets came. */
  readonly paths: number;
}

const PS_PER_US = 1e6;

export function flowRecords(
  { names }: Topology,
  flows: readonly Flow[],
  { outcomes, log }: { readonly outcomes: readonly FlowOutcome[]; readonly log: FlowLog },
): FlowRecord[] {
  return flows.map(({ source, destination, octets, start }, index) => {
    const { time, alone } = outcomes[index]!;
    return {
      source: names[source]!,
      destination: names[destination]!,
      octets,
      start: start / PS_PER_US,
      ...(!Number.isNaN(time) && { end: (start + time) / PS_PER_US, slowdown: time / alone }),
      sentAgain: log.resent[index]!,
      outOfOrder: log.outOfOrder[index]!,
      paths: log.paths[index]!,
    };
  });
}

/** The lines of a run, each with its scheme and seed; flows are numbered as `heddle sim flows` lists them, from 1. */
type Line = FlowRecord & { readonly scheme: string; readonly seed: number; readonly flow: number };

const COLUMNS: readonly (readonly [string, (line: Line) => CsvValue])[] = [
  ['scheme', ({ scheme }) => scheme],
  ['seed', ({ seed }) => seed],
  ['flow', ({ flow }) => flow],
  ['source', ({ source }) => source],
  ['destination', ({ destination }) => destination],
  ['octets', ({ octets }) => octets],
  ['start_us', ({ start }) => start],
  ['end_us', ({ end }) => end],
  ['slowdown', ({ slowdown }) => slowdown],
  ['sent_again', ({ sentAgain }) => sentAgain],
  ['out_of_order', ({ outOfOrder }) => outOfOrder],
  ['paths', ({ paths }) => paths],
];

/** The line of names, before the lines of runs. */
export const FLOWS_HEAD = csvLine(COLUMNS.map(([name]) => name));

export function flowLines({ scheme, seed }: { scheme: string; seed: number }, flows: readonly FlowRecord[]): string {
  const lineOf = (record: FlowRecord, index: number) => ({ ...record, scheme, seed, flow: index + 1 });
  return flows
    .map((record, index) => lineOf(record, index))
    .map((line) => csvLine(COLUMNS.map(([, value]) => value(line))))
    .join('');
}
