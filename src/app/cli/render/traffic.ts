/** The report of `heddle traffic`: a row for each subflow, or for each uplink when there are many, and what it came to. */
import { counted } from '../../../core/net/counted.js';
import type { SubflowReport, TrafficReport } from '../../traffic/traffic-report.js';
import type { Paint } from './paint.js';
import { type Cell, type Row, table } from './table.js';
import { colourText, orDash } from './words.js';

/** More subflows than this are summed up by uplink. */
const MOST_ROWS = 32;

const NUMBERS = [
  { title: 'OCTETS', align: 'right' as const },
  { title: 'MBIT/S', align: 'right' as const },
  { title: 'MS', align: 'right' as const },
  { title: 'AGAIN', align: 'right' as const },
  { title: 'LOST', align: 'right' as const },
  { title: 'EARLY', align: 'right' as const },
];

export function renderTraffic(report: TrafficReport, paint: Paint): string[] {
  const { subflows, hosts } = report;
  const what = report.pattern === 'send' ? hosts.join(' -> ') : `${report.pattern} of ${hosts.join(', ')}`;
  const how = report.rlb ? 'each on its own addresses' : 'all on one address of each host, told apart by source ports';
  return [
    `${what}: ${octetsText(report.octets)}, ${counted(subflows.length, 'queue pair')}, ${how}`,
    ...(subflows.length > MOST_ROWS ? uplinkTable(subflows, paint) : subflowTable(subflows, paint)),
    verdict(report, paint),
    ...report.warnings.map((line) => paint.warn(line)),
  ];
}

function subflowTable(subflows: readonly SubflowReport[], paint: Paint): string[] {
  const columns = [
    { title: 'QP', align: 'right' as const },
    { title: 'SOURCE' },
    { title: 'DESTINATION' },
    { title: 'PORT', align: 'right' as const },
    { title: 'UPLINK' },
    { title: 'COLOUR' },
    ...NUMBERS,
  ];
  const rows = subflows.map((subflow): Row => {
    const style = paint.fabric(subflow.colour);
    return {
      cells: [
        String(subflow.queuePair),
        subflow.sourceAddress,
        subflow.destinationAddress,
        String(subflow.sourcePort),
        { text: orDash(subflow.uplink), style },
        { text: colourText(subflow.colour), style },
        ...numbers([subflow], paint),
      ],
    };
  });
  return table(columns, rows, paint);
}

function uplinkTable(subflows: readonly SubflowReport[], paint: Paint): string[] {
  const uplinks = [...new Set(subflows.map(({ uplink }) => uplink))];
  const columns = [{ title: 'UPLINK' }, { title: 'SUBFLOWS', align: 'right' as const }, ...NUMBERS];
  const rows = uplinks.map((uplink): Row => {
    const mine = subflows.filter((subflow) => subflow.uplink === uplink);
    const style = paint.fabric(mine[0]?.colour ?? null);
    return { cells: [{ text: orDash(uplink), style }, String(mine.length), ...numbers(mine, paint)] };
  });
  return table(columns, rows, paint);
}

/** Sums, and the time of the slowest. */
function numbers(subflows: readonly SubflowReport[], paint: Paint): Cell[] {
  const sum = (of: (subflow: SubflowReport) => number) => subflows.reduce((total, one) => total + of(one), 0);
  const trouble = (value: number): Cell => ({ text: String(value), style: value === 0 ? paint.dim : paint.warn });
  return [
    String(sum(({ octets }) => octets)),
    sum(({ bandwidth }) => bandwidth).toFixed(1),
    Math.max(...subflows.map(({ milliseconds }) => milliseconds)).toFixed(0),
    trouble(sum(({ retransmitted }) => retransmitted)),
    trouble(sum(({ lost }) => lost)),
    trouble(sum(({ outOfOrder }) => outOfOrder)),
  ];
}

function verdict(report: TrafficReport, paint: Paint): string {
  if (!report.verified) return paint.bad('not completed');
  const { milliseconds, algorithmBandwidth, busBandwidth } = report;
  const bandwidth = `${algorithmBandwidth.toFixed(1)} Mbit/s, bus bandwidth ${busBandwidth.toFixed(1)} Mbit/s`;
  return paint.good(`completed in ${milliseconds.toFixed(0)} ms, every octet verified: ${bandwidth}`);
}

/** `64 MiB`, `1.5 KiB`, `12 octets`. */
export function octetsText(octets: number): string {
  const units = [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ] as const;
  const [size, name] = units.find(([least]) => octets >= least) ?? [1, 'octets'];
  return `${Math.round((octets / size) * 10) / 10} ${name}`;
}
