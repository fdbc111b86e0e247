/** What is measured: who announces what to the router, and who is told. Pure. */
import type { TableShape } from './table-stream.js';

export type TableStep = 'announce' | 'withdraw' | 'drop';
export type Step = TableStep | 'policy' | 'probe';

interface Named {
  /** For the command line. */
  readonly name: string;
  /** For people. */
  readonly title: string;
}

export interface TableWorkload extends Named {
  readonly kind: 'tables';
  readonly senders: number;
  readonly table: TableShape;
  /** Sessions that announce nothing and are told everything. Without them nothing is exported. */
  readonly listeners: number;
  /** In this order, each measured by itself. */
  readonly steps: readonly TableStep[];
}

export interface PolicyWorkload extends Named {
  readonly kind: 'policy';
  readonly table: TableShape;
}

export interface LatencyWorkload extends Named {
  readonly kind: 'latency';
  /** UPDATEs of one prefix, and milliseconds between them. */
  readonly probes: number;
  readonly interval: number;
  /** What another session announces from the first probe on. */
  readonly load?: TableShape;
}

export interface UnnumberedWorkload extends Named {
  readonly kind: 'unnumbered';
  readonly links: number;
  /** That the neighbour at each announces. */
  readonly prefixes: number;
}

export type Workload = TableWorkload | PolicyWorkload | LatencyWorkload | UnnumberedWorkload;

const MILLION = 1_000_000;

export const WORKLOADS: readonly Workload[] = [
  receive('million', '1 M IPv6 /64 from one peer, 100 an UPDATE', { prefixes: MILLION, perUpdate: 100 }, [
    'announce',
    'withdraw',
  ]),
  receive('million-5', '1 M IPv6 /64 from one peer, 5 an UPDATE', { prefixes: MILLION, perUpdate: 5 }, [
    'announce',
    'drop',
  ]),
  receive('million-1', '1 M IPv6 /64 from one peer, 1 an UPDATE', { prefixes: MILLION, perUpdate: 1 }, ['announce']),
  receive(
    'million-v4',
    '1 M IPv4 /24 from one peer, 100 an UPDATE',
    { prefixes: MILLION, perUpdate: 100, family: 'ipv4' },
    ['announce', 'withdraw'],
  ),
  receive(
    'internet',
    '1 M IPv4 /24 from one peer, attributes as in a full table',
    { prefixes: MILLION, perUpdate: 'internet', family: 'ipv4' },
    ['announce', 'drop'],
  ),
  receive('five-hundred-k', '500 k IPv6 /64 from one peer, 100 an UPDATE', { prefixes: 500_000, perUpdate: 100 }, [
    'announce',
  ]),
  receive('hundred-k', '100 k IPv6 /64 from one peer, 100 an UPDATE', { prefixes: 100_000, perUpdate: 100 }, [
    'announce',
    'withdraw',
  ]),
  {
    ...receive('eight-peers', 'the same 100 k IPv6 /64 from 8 peers', { prefixes: 100_000, perUpdate: 100 }, [
      'announce',
      'drop',
    ]),
    senders: 8,
  },
  {
    ...receive('thirty-two-peers', 'the same 32 k IPv6 /64 from 32 peers', { prefixes: 32_000, perUpdate: 100 }, [
      'announce',
    ]),
    senders: 32,
  },
  forward('forward-100k-1', 100_000, 1),
  forward('forward-100k-8', 100_000, 8),
  forward('forward-100k-64', 100_000, 64),
  forward('forward-500k-1', 500_000, 1),
  forward('forward-500k-8', 500_000, 8),
  {
    kind: 'policy',
    name: 'policy',
    title: 'import policy changed over 500 k IPv6 /64, told to one other',
    table: { family: 'ipv6', prefixes: 500_000, perUpdate: 100 },
  },
  {
    kind: 'latency',
    name: 'latency',
    title: '400 UPDATEs of one prefix, 5 ms apart, to an idle router with its kernel',
    probes: 400,
    interval: 5,
  },
  {
    kind: 'latency',
    name: 'latency-loaded',
    title: '200 UPDATEs of one prefix, 10 ms apart, while another session sends 1 M IPv6 /64, with the kernel',
    probes: 200,
    interval: 10,
    load: { family: 'ipv6', prefixes: MILLION, perUpdate: 100 },
  },
  {
    kind: 'unnumbered',
    name: 'unnumbered-64',
    title: '64 unnumbered links come up: sessions, and 16 prefixes of each in the kernel and told to all others',
    links: 64,
    prefixes: 16,
  },
];

interface Table {
  readonly prefixes: number;
  readonly perUpdate: TableShape['perUpdate'];
  readonly family?: TableShape['family'];
}

function receive(
  name: string,
  title: string,
  { family = 'ipv6', ...table }: Table,
  steps: readonly TableStep[],
): TableWorkload {
  return { kind: 'tables', name, title, senders: 1, table: { family, ...table }, listeners: 0, steps };
}

function forward(name: string, prefixes: number, listeners: number): TableWorkload {
  const title = `${prefixes / 1000} k IPv6 /64 from one peer, told to ${listeners} other${listeners === 1 ? '' : 's'}`;
  const table = { family: 'ipv6', prefixes, perUpdate: 100 } as const;
  return { kind: 'tables', name, title, senders: 1, table, listeners, steps: ['announce', 'withdraw'] };
}

/** The same with a hundredth of the routes, for a look. */
export function smaller(workload: Workload): Workload {
  const less = (table: TableShape) => ({ ...table, prefixes: Math.ceil(table.prefixes / 100) });
  if (workload.kind === 'unnumbered') return { ...workload, links: workload.links / 8 };
  if (workload.kind !== 'latency') return { ...workload, table: less(workload.table) };
  return { ...workload, probes: workload.probes / 4, ...(workload.load && { load: less(workload.load) }) };
}

/** Prefixes that listeners are told in all. */
export function toldRoutes({ table, listeners }: TableWorkload): number {
  return table.prefixes * listeners;
}
