/** The targets, and whether they are met. Pure. */
import type { Results } from '../common/results.js';
import { renderTable, short } from '../common/table.js';
import { FIGURE, HEDDLE, LATE, NODE_ALONE } from './figures.js';

export interface Verdict {
  readonly figure: string;
  readonly target: string;
  readonly shown: string;
  readonly met: boolean;
}

interface Place {
  /** Name of the workload. */
  readonly row: string;
  readonly figure: string;
}

interface Bound {
  readonly peer: string;
  readonly most: number;
  /** Equal is not enough. */
  readonly strict?: boolean;
}

/** Of heddle's median to a peer's. */
interface RatioTarget {
  /** For people. */
  readonly title: string;
  readonly place: Place;
  readonly bounds: readonly Bound[];
}

const RATIOS: readonly RatioTarget[] = [
  {
    title: '1 M IPv6, 1 peer, 100 an UPDATE: until quiet, s',
    place: { row: 'million', figure: FIGURE.wall('announce') },
    bounds: [
      { peer: 'BIRD', most: 0.6 },
      { peer: 'FRR', most: 0.12 },
    ],
  },
  {
    title: '8 x 100 k, the same prefixes: until quiet, s',
    place: { row: 'eight-peers', figure: FIGURE.wall('announce') },
    bounds: [{ peer: 'BIRD', most: 0.7 }],
  },
  ...(['100k-1', '100k-8', '500k-1', '500k-8'] as const).map((size) => ({
    title: `receive and tell ${size.replace('k-', ' k to ')}: until the last is told, s`,
    place: { row: `forward-${size}`, figure: FIGURE.told('announce') },
    bounds: [{ peer: 'BIRD', most: 1, strict: true }],
  })),
  {
    title: '1 M paths: peak memory, MB',
    place: { row: 'million', figure: FIGURE.memory('announce') },
    bounds: [
      { peer: 'BIRD', most: 1.5 },
      { peer: 'FRR', most: 0.25 },
    ],
  },
  {
    title: '64 unnumbered sessions, links up to all routes in all kernels, s',
    place: { row: 'unnumbered-64', figure: FIGURE.cold.done },
    bounds: [{ peer: 'FRR', most: 0.5, strict: true }],
  },
];

/** Milliseconds. */
const DELAYS = [
  { rank: 50, below: 1 },
  { rank: 99, below: 3 },
] as const;
const IDLE = 'latency';
const MOST_LATE = 50;

/** Of those targets whose figures were measured. */
export function judge(results: Results): readonly Verdict[] {
  return [
    ...RATIOS.flatMap((target) => judgeRatios(results, target)),
    ...DELAYS.flatMap((target) => judgeDelay(results, target)),
    ...judgeLateness(results),
  ];
}

export function renderTargets(verdicts: readonly Verdict[]): string[] {
  const rows = verdicts.map(({ figure, target, shown, met }) => [figure, target, shown, met ? 'met' : '**not met**']);
  return renderTable([['figure', 'target', 'heddle', ''], ...rows]);
}

function judgeRatios(results: Results, { title, place, bounds }: RatioTarget): readonly Verdict[] {
  const own = results.median(place.row, place.figure, HEDDLE);
  return bounds.flatMap(({ peer, most, strict = false }) => {
    const other = results.median(place.row, place.figure, peer);
    if (own === undefined || other === undefined) return [];
    const shown = `${(own / other).toFixed(2)} (${short(own)} against ${short(other)})`;
    const met = strict ? own < most * other : own <= most * other;
    return [{ figure: title, target: `${strict ? '<' : '<='} ${most} x ${peer}`, shown, met }];
  });
}

function judgeDelay(results: Results, { rank, below }: (typeof DELAYS)[number]): readonly Verdict[] {
  const figure = FIGURE.delay('routed', rank);
  const own = results.median(IDLE, figure, HEDDLE);
  if (own === undefined) return [];
  const title = `idle: ${figure}`;
  const peers = results.subjects(IDLE).flatMap((name) => {
    const median = name === HEDDLE || name === NODE_ALONE ? undefined : results.median(IDLE, figure, name);
    return median === undefined ? [] : [{ name, median }];
  });
  const [best] = peers.sort((a, b) => a.median - b.median);
  return [
    { figure: title, target: `< ${below}`, shown: short(own), met: own < below },
    ...(best
      ? [
          {
            figure: title,
            target: "< each peer's",
            shown: `${short(own)} against ${short(best.median)} of ${best.name}`,
            met: own < best.median,
          },
        ]
      : []),
  ];
}

/** At the worst of all workloads and steps. */
function judgeLateness(results: Results): readonly Verdict[] {
  const places = results.rows.flatMap((row) =>
    results.figures(row).flatMap((figure) => (LATE.test(figure) ? [{ row, figure }] : [])),
  );
  const late = places.flatMap(({ row, figure }) => {
    const median = results.median(row, figure, HEDDLE);
    return median === undefined ? [] : [{ row, median }];
  });
  const [worst] = late.sort((a, b) => b.median - a.median);
  if (!worst) return [];
  return [
    {
      figure: 'KEEPALIVEs late, p99, the worst workload, ms',
      target: `< ${MOST_LATE}`,
      shown: `${short(worst.median)} (${worst.row})`,
      met: worst.median < MOST_LATE,
    },
  ];
}
