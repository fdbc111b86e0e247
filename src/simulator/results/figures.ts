/**
 * What runs are compared by: each figure once, with its key (a column of CSV, a key of JSON), the group of columns it stands in, and how it is taken from
 * a run. Keys are stable: others are added, none is renamed.
 */
import { type PacketCounter, type RunResult, SIZES } from './run-result.js';

export type FigureGroup = 'slowdown' | 'background' | 'job' | 'fabric' | 'pfc' | 'packets' | 'sizes';

/** Groups in order, and what is in them. */
export const FIGURE_GROUPS: Readonly<Record<FigureGroup, string>> = {
  slowdown: 'completion time of flows over the time alone: average and quantiles',
  background: 'the same of flows beside a job',
  job: 'completion times, and bus bandwidth of collectives',
  fabric: 'imbalance of uplinks, queues',
  pfc: 'how long ports of each tier were paused',
  packets: 'marks, congestion notifications, reordering, retransmissions, losses',
  sizes: 'slowdown by size of the flow',
};

export interface Figure {
  readonly key: string;
  readonly group: FigureGroup;
  /** The head of a column. */
  readonly title: string;
  /** In words, for a page. */
  readonly label: string;
  readonly better: 'less' | 'more';
  /** What a figure is divided by where people read it (KB instead of octets). */
  readonly per?: number;
  of(run: RunResult): number | undefined;
}

type Rest = Omit<Figure, 'key' | 'group' | 'better' | 'of'> & Partial<Pick<Figure, 'better'>>;

function figure(group: FigureGroup, key: string, rest: Rest, of: Figure['of']): Figure {
  return { group, key, better: 'less', ...rest, of };
}

const SLOWDOWNS = [
  ['avg', 'SLOWDOWN', 'average', (run: RunResult) => run.slowdown?.average],
  ['p50', 'P50', 'median', (run: RunResult) => run.slowdown?.p50],
  ['p95', 'P95', 'p95', (run: RunResult) => run.slowdown?.p95],
  ['p99', 'P99', 'p99', (run: RunResult) => run.slowdown?.p99],
  ['p999', 'P99.9', 'p99.9', (run: RunResult) => run.slowdown?.p999],
] as const;

const slowdowns = SLOWDOWNS.map(([name, title, words, of]) =>
  figure('slowdown', `slowdown_${name}`, { title, label: `Slowdown of flows, ${words}` }, of),
);

const BACKGROUND = [
  ['avg', 'BESIDE', 'average', (run: RunResult) => run.background?.slowdown?.average],
  ['p50', 'BESIDE P50', 'median', (run: RunResult) => run.background?.slowdown?.p50],
  ['p99', 'BESIDE P99', 'p99', (run: RunResult) => run.background?.slowdown?.p99],
] as const;

const background = BACKGROUND.map(([name, title, words, of]) =>
  figure(
    'background',
    `background_slowdown_${name}`,
    { title, label: `Slowdown of flows beside the job, ${words}` },
    of,
  ),
);

const job = [
  figure('job', 'job_time_us', { title: 'JOB us', label: 'Job completion time, us' }, ({ jobTime }) => jobTime),
  figure(
    'job',
    'bus_bandwidth_gbps',
    { title: 'BUSBW Gb/s', label: 'Bus bandwidth, Gb/s', better: 'more' },
    ({ busBandwidth }) => busBandwidth,
  ),
  figure(
    'job',
    'fct_avg_us',
    { title: 'FCT AVG us', label: 'Flow completion time, average, us' },
    ({ completionTime }) => completionTime?.average,
  ),
  figure(
    'job',
    'fct_p99_us',
    { title: 'FCT P99 us', label: 'Flow completion time, p99, us' },
    ({ completionTime }) => completionTime?.p99,
  ),
];

const fabric = [
  figure(
    'fabric',
    'imbalance_p50',
    { title: 'IMBALANCE P50', label: 'Imbalance of uplinks, median' },
    ({ imbalance }) => imbalance?.p50,
  ),
  figure(
    'fabric',
    'imbalance_p90',
    { title: 'IMBALANCE P90', label: 'Imbalance of uplinks, p90' },
    ({ imbalance }) => imbalance?.p90,
  ),
  figure(
    'fabric',
    'queue_p50_octets',
    { title: 'QUEUE P50 KB', label: 'Queues that are not empty, median, KB', per: 1000 },
    ({ queue }) => queue?.p50,
  ),
  figure(
    'fabric',
    'queue_p99_octets',
    { title: 'QUEUE P99 KB', label: 'Queues that are not empty, p99, KB', per: 1000 },
    ({ queue }) => queue?.p99,
  ),
  figure(
    'fabric',
    'queue_most_octets',
    { title: 'QUEUE MOST KB', label: 'The fullest queue, KB', per: 1000 },
    ({ queue }) => queue?.most,
  ),
];

/** Of the ports of a tier, whoever paused them. */
function pausedPercent(run: RunResult, tier: string): number | undefined {
  const hops = run.pause.byHop.filter(({ from }) => from === tier);
  const ports = hops.reduce((sum, hop) => sum + hop.ports, 0);
  return ports === 0 ? undefined : (100 * hops.reduce((sum, hop) => sum + hop.share * hop.ports, 0)) / ports;
}

const pfc = [
  figure('pfc', 'pause_frames', { title: 'PAUSE FRAMES', label: 'Pause frames' }, ({ pause }) => pause.frames),
  ...['host', 'leaf', 'spine', 'superspine'].map((tier) =>
    figure(
      'pfc',
      `paused_${tier}_percent`,
      {
        title: `${tier.toUpperCase()} PAUSED %`,
        label: `Time that ports of ${tier === 'leaf' ? 'leave' : tier}s were paused, %`,
      },
      (run) => pausedPercent(run, tier),
    ),
  ),
];

function ofData(counter: PacketCounter): Figure['of'] {
  return ({ packets }) => (100 * packets[counter]) / Math.max(1, packets.data);
}

/** By full buffers, dead links, tables without a way, lossy links and watchdogs. */
function lost({ packets }: RunResult): number {
  return (
    packets['dropped-full'] +
    packets['dropped-unreachable'] +
    packets['dropped-down'] +
    packets['dropped-by-watchdog'] +
    packets.lost
  );
}

const packets = [
  figure('packets', 'marked_percent', { title: 'MARKED %', label: 'Data packets marked (ECN), %' }, ofData('marked')),
  figure(
    'packets',
    'congestion_notices',
    { title: 'CNPS', label: 'Congestion notifications that senders got' },
    ({ packets }) => packets['congestion-notices'],
  ),
  figure(
    'packets',
    'complaint_notices',
    { title: 'OF GAPS', label: 'Congestion notifications with a complaint of a gap, without a mark' },
    ({ packets }) => packets['complaint-notices'],
  ),
  figure(
    'packets',
    'out_of_order_percent',
    { title: 'REORDERED %', label: 'Data packets that came out of order, %' },
    ofData('out-of-order'),
  ),
  figure(
    'packets',
    'sent_again_percent',
    { title: 'SENT AGAIN %', label: 'Data packets that were sent again, %' },
    ofData('resent'),
  ),
  figure(
    'packets',
    'timeouts',
    { title: 'TIME-OUTS', label: 'Time-outs of senders' },
    ({ packets }) => packets.timeouts,
  ),
  figure('packets', 'lost', { title: 'LOST', label: 'Data packets that were dropped or lost' }, lost),
  figure(
    'packets',
    'answers_lost',
    { title: 'ACKS LOST', label: 'ACKs, NAKs and CNPs that were dropped or lost' },
    ({ packets }) => packets['answers-lost'],
  ),
];

function sizeName(upTo: number | null): { key: string; title: string; label: string } {
  if (upTo === null) return { key: 'larger', title: 'LARGER', label: 'of larger flows' };
  const text = upTo >= 1e6 ? `${upTo / 1e6} MB` : `${upTo / 1000} KB`;
  return { key: `to_${upTo}`, title: `<= ${text}`, label: `of flows up to ${text}` };
}

const bySize = (['avg', 'p99'] as const).flatMap((name) =>
  SIZES.map((upTo) => {
    const { key, title, label } = sizeName(upTo);
    const words = name === 'avg' ? 'average' : 'p99';
    return figure(
      'sizes',
      `slowdown_${name}_${key}`,
      { title: `${name.toUpperCase()} ${title}`, label: `Slowdown ${label}, ${words}` },
      (run) => {
        const found = run.bySize.find((size) => size.upTo === upTo)?.slowdown;
        return name === 'avg' ? found?.average : found?.p99;
      },
    );
  }),
);

export const FIGURES: readonly Figure[] = [
  ...slowdowns,
  ...background,
  ...job,
  ...fabric,
  ...pfc,
  ...packets,
  ...bySize,
];

export function figureOf(key: string): Figure {
  const found = FIGURES.find((figure) => figure.key === key);
  if (!found) throw new Error(`no figure ${key}`);
  return found;
}
