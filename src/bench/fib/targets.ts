/** The targets, and whether they are met. Pure. */

import type { Results } from '../common/results.js';
import { ECMP, FIGURE, HEDDLE, KERNEL, LOCAL_COUNTS, REMOTE_COUNTS } from './figures.js';
import type { RowName } from './rows.js';

export interface Verdict {
  readonly row: RowName;
  readonly target: string;
  readonly met: boolean;
  /** The figures that say so. */
  readonly shown: string;
}

/** Milliseconds: two datagrams' distance. A gap is known no better than that. */
export const RESOLUTION = 0.2;

const MOST = LOCAL_COUNTS.at(-1)!;
const CARRIER_COUNT = 1_000;
const MOST_REMOTE = REMOTE_COUNTS.at(-1)!;

/** Of those targets whose figures were measured. `peers` are the other implementations. */
export function judge(results: Results<RowName>, peers: readonly string[]): readonly Verdict[] {
  const verdicts = [
    kernelsOwn(results),
    notGrowing(results),
    carrierLoss(results),
    halfOfBest(results, peers),
    fastInstall(results),
    lossless(results, FIGURE.stopped, 'restart loses no packet'),
    lossless(results, FIGURE.killed, 'kill -9 loses no packet'),
    evener(results, 'flowlet'),
    evener(results, 'adaptive'),
  ];
  return verdicts.filter((verdict) => verdict !== undefined);
}

function kernelsOwn(results: Results<RowName>): Verdict | undefined {
  const own = results.median('a', FIGURE.gap(1), KERNEL);
  const gaps = LOCAL_COUNTS.map((count) => results.median('a', FIGURE.gap(count), HEDDLE)).filter(isDefined);
  if (own === undefined || gaps.length === 0) return undefined;
  const worst = Math.max(...gaps);
  return {
    row: 'a',
    target: "gap no larger than the kernel's own at one prefix",
    met: noLarger(worst, own),
    shown: `${ms(worst)} at the worst, the kernel's own ${ms(own)} (known to ${RESOLUTION} ms)`,
  };
}

function notGrowing(results: Results<RowName>): Verdict | undefined {
  const one = results.median('a', FIGURE.gap(1), HEDDLE);
  const many = results.median('a', FIGURE.gap(MOST), HEDDLE);
  if (one === undefined || many === undefined) return undefined;
  const own = results.median('a', FIGURE.gap(MOST), KERNEL);
  return {
    row: 'a',
    target: 'gap at 100,000 prefixes within 1.5 x of that at one',
    met: many <= Math.max(1.5 * one, one + RESOLUTION),
    shown: `${ms(many)} against ${ms(one)}${ratio(many, one)}${own === undefined ? '' : `; with these routes by hand and no daemon ${ms(own)}`}`,
  };
}

function carrierLoss(results: Results<RowName>): Verdict | undefined {
  const figure = FIGURE.gap(CARRIER_COUNT, 'carrier lost');
  const [own, kernel] = [HEDDLE, KERNEL].map((subject) => results.median('a', figure, subject));
  if (own === undefined || kernel === undefined) return undefined;
  return {
    row: 'a',
    target: `carrier lost at 1,000 prefixes: gap no larger than that of these routes by hand`,
    met: noLarger(own, kernel),
    shown: `${ms(own)} against ${ms(kernel)} (known to ${RESOLUTION} ms)`,
  };
}

function halfOfBest(results: Results<RowName>, peers: readonly string[]): Verdict | undefined {
  const figure = FIGURE.slowest(MOST_REMOTE);
  const own = results.median('b', figure, HEDDLE);
  const others = peers.map((peer) => ({ peer, value: results.median('b', figure, peer) }));
  const [best] = others
    .flatMap(({ peer, value }) => (value === undefined ? [] : [{ peer, value }]))
    .sort((a, b) => a.value - b.value);
  if (own === undefined || best === undefined) return undefined;
  return {
    row: 'b',
    target: `at 10,000 prefixes at most half of the best peer's gap`,
    met: own <= best.value / 2,
    shown: `${ms(own)} against ${ms(best.value)} of ${best.peer}${ratio(own, best.value)}`,
  };
}

function fastInstall(results: Results<RowName>): Verdict | undefined {
  const own = results.median('c', FIGURE.install, HEDDLE);
  const bird = results.median('c', FIGURE.install, 'BIRD');
  if (own === undefined || bird === undefined) return undefined;
  return {
    row: 'c',
    target: "at most 0.7 of BIRD's time",
    met: own <= 0.7 * bird,
    shown: `${own.toFixed(2)} s against ${bird.toFixed(2)} s${ratio(own, bird)}`,
  };
}

function lossless(results: Results<RowName>, figure: string, target: string): Verdict | undefined {
  const spread = results.spread('d', figure, HEDDLE);
  if (spread === undefined) return undefined;
  return { row: 'd', target, met: spread.most === 0, shown: `${spread.most} lost in the worst round` };
}

function evener(results: Results<RowName>, mode: 'flowlet' | 'adaptive'): Verdict | undefined {
  const own = results.median('e', FIGURE.imbalance, `heddle, ${mode}`);
  const ecmp = results.median('e', FIGURE.imbalance, ECMP);
  if (own === undefined || ecmp === undefined) return undefined;
  return {
    row: 'e',
    target: `${mode}: nearer to even than ECMP`,
    met: own < ecmp,
    shown: `max / mean ${own.toFixed(2)} against ${ecmp.toFixed(2)}`,
  };
}

/** As far as gaps are known, which are whole tenths. */
function noLarger(gap: number, than: number): boolean {
  return Math.round(10 * (gap - than)) <= 10 * RESOLUTION;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function ratio(value: number, to: number): string {
  return to === 0 ? '' : ` (${(value / to).toFixed(2)} x)`;
}

function isDefined<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
