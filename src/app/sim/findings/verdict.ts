/** Which scheme is best on this fabric for this load, and whether that may be chance: all schemes have the same flows of a seed, so seeds are compared one by one. Pure. */
import { type Estimate, estimate } from '../../../simulator/results/comparison.js';
import { type Figure, figureOf } from '../../../simulator/results/figures.js';
import type { RunResult } from '../../../simulator/results/run-result.js';
import { type Finding, factor } from './evidence.js';

/** What is looked at, the first that runs have. */
const BY = [
  { figure: figureOf('bus_bandwidth_gbps'), words: 'bus bandwidth, Gb/s', best: 'Highest' },
  { figure: figureOf('slowdown_avg'), words: 'average slowdown', best: 'Lowest' },
  { figure: figureOf('job_time_us'), words: 'job completion time, us', best: 'Lowest' },
] as const;

interface Ranked {
  readonly scheme: string;
  /** By seed. */
  readonly values: ReadonlyMap<number, number>;
  readonly estimate: Estimate;
}

export function verdict(runs: readonly RunResult[]): Finding[] {
  for (const { figure, words, best } of BY) {
    const [first, second] = ranked(runs, figure);
    if (!first || !second) continue;
    const gap = differenceOf(first, second);
    const ratio = second.estimate.mean / first.estimate.mean;
    return [
      {
        kind: 'verdict',
        text: `${best} ${words}: ${first.scheme}, ${said(first.estimate)}; then ${second.scheme}, ${said(second.estimate)}. ${sureness(gap, first.values.size)}`,
        values: { best: first.estimate.mean, second: second.estimate.mean, ratio },
      },
    ];
  }
  return [];
}

/** The best first; a scheme of which something did not end is not in it, for nobody knows how bad it is. */
function ranked(runs: readonly RunResult[], { of, better }: Figure): Ranked[] {
  const schemes = [...new Set(runs.map(({ scheme }) => scheme))];
  const found = schemes.flatMap((scheme): Ranked[] => {
    const own = runs.filter((run) => run.scheme === scheme);
    const values = new Map(own.flatMap((run) => (of(run) === undefined ? [] : [[run.seed, of(run)!] as const])));
    const ended = own.every(({ flows }) => flows.finished === flows.count);
    return ended && values.size === own.length ? [{ scheme, values, estimate: estimate([...values.values()]) }] : [];
  });
  const sign = better === 'more' ? -1 : 1;
  return found.sort((a, b) => sign * (a.estimate.mean - b.estimate.mean));
}

function differenceOf(first: Ranked, second: Ranked): Estimate | undefined {
  const both = [...first.values].filter(([seed]) => second.values.has(seed));
  return both.length < 2 ? undefined : estimate(both.map(([seed, value]) => second.values.get(seed)! - value));
}

function sureness(gap: Estimate | undefined, seeds: number): string {
  if (!gap) return `${seeds} seed: more of them (--seeds) say how sure that is.`;
  if (gap.mean === 0 && gap.margin === 0) return 'There is no difference between the two.';
  const width = `Seed by seed they differ by ${factor(Math.abs(gap.mean))} ±${factor(gap.margin!)}`;
  return Math.abs(gap.mean) > gap.margin!
    ? `${width}: more than chance (95 %).`
    : `${width}: that may be chance; more seeds say.`;
}

function said({ mean, margin }: Estimate): string {
  return margin === undefined || margin === 0 ? factor(mean) : `${factor(mean)} ±${factor(margin)}`;
}
