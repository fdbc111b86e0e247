import { describe, expect, it } from 'vitest';
import { plainLink, plainRun } from '../../../simulator/results/plain-run.fixture.js';
import { documentOf } from '../study-results.js';
import { distributionCurve, timeCurve } from './curves.js';
import { fabricMap } from './fabric-map.js';
import { linkMatrix } from './link-matrix.js';
import { linkTiers } from './link-tiers.js';
import { reportPage } from './report-page.js';

const PARALLEL = ['leaf1', 'leaf2', 'leaf10'].flatMap((leaf) =>
  ['spine1', 'spine2'].flatMap((spine) =>
    [1, 2].flatMap((number) => plainLink(leaf, spine, { number, up: number / 10, down: 0.9 })),
  ),
);

describe('maps of links', () => {
  const [tier, ...others] = linkTiers(PARALLEL);

  it('have a cell for each of parallel links, up and down, with its own share', () => {
    expect(others).toEqual([]);
    expect(tier).toMatchObject({
      lowerTier: 'leaf',
      upperTier: 'spine',
      columns: 4,
      lowers: ['leaf1', 'leaf2', 'leaf10'],
    });
    const matrix = linkMatrix(tier!);
    expect(matrix.match(/class="cell /g)).toHaveLength(24);
    expect(matrix).toContain('leaf10 to spine2, link 2: 20.0 % of its capacity, 1.33 times the mean');
    expect(matrix).toContain('leaf10 to spine2: 10.0 %');
    expect(matrix).toContain('spine2 to leaf10, link 2: 90.0 % of its capacity, 1.00 times the mean');
    expect(matrix).toContain('Leaf to spine links');
  });

  it('are drawn as the fabric: all switches, all links, parallel ones beside each other', () => {
    const drawing = fabricMap([tier!], 'up')!;
    expect(drawing.match(/class="node"/g)).toHaveLength(5);
    const lines = [...drawing.matchAll(/<line class="link [^>]*x1="([\d.]+)"[^>]*x2="([\d.]+)"/g)];
    expect(lines).toHaveLength(12);
    expect(new Set(lines.map(([, x1, x2]) => `${x1} ${x2}`)).size).toBe(12);
  });

  it('keep tiers apart', () => {
    const core = [
      { ...plainLink('leaf1', 'spine1')[0]!, from: 'spine1', to: 'core1', fromTier: 'spine', toTier: 'superspine' },
    ];
    expect(linkTiers([...core, ...PARALLEL]).map(({ lowerTier, upperTier }) => [lowerTier, upperTier])).toEqual([
      ['leaf', 'spine'],
      ['spine', 'superspine'],
    ]);
  });

  it('are not drawn as lines where there are too many', () => {
    const many = Array.from({ length: 41 }, (_, leaf) => plainLink(`leaf${leaf + 1}`, 'spine1')).flat();
    expect(fabricMap(linkTiers(many), 'up')).toBeUndefined();
    expect(linkMatrix(linkTiers(many)[0]!).match(/class="cell /g)).toHaveLength(82);
  });
});

describe('curves over all seeds', () => {
  it('of distributions: the mean of each quantile, within the least and the most', () => {
    const { points, band } = distributionCurve([[1, 2], [3, 6], []]);
    expect(points).toEqual([
      { x: 2, y: 0.5 },
      { x: 4, y: 1 },
    ]);
    expect(band).toEqual({
      there: [
        { x: 1, y: 0.5 },
        { x: 2, y: 1 },
      ],
      back: [
        { x: 6, y: 1 },
        { x: 3, y: 0.5 },
      ],
    });
    expect(distributionCurve([[1, 2]])).not.toHaveProperty('band');
    expect(distributionCurve([[], []]).points).toEqual([]);
  });

  it('over time: of the seeds that still run; long ones are thinned', () => {
    const moment = (at: number, load: number) => ({ at: at * 1e6, load, imbalance: undefined, fullest: 0 });
    const long = plainRun({ moments: Array.from({ length: 900 }, (_, index) => moment(100 * (index + 1), 1)) });
    const short = plainRun({ moments: [moment(100, 0)] });
    expect(timeCurve([{ ...long, moments: long.moments.slice(0, 2) }, short], ({ load }) => load).points).toEqual([
      { x: 100, y: 0.5 },
      { x: 200, y: 1 },
    ]);
    expect(timeCurve([long], ({ load }) => load).points).toHaveLength(300);
    expect(timeCurve([long], ({ imbalance }) => imbalance).points).toEqual([]);
  });
});

it('the page has all schemes of all seeds, what they come to and why, and stands alone', () => {
  const runs = [1, 2].flatMap((seed) =>
    ['ecmp', 'rlb <x>'].map((scheme) =>
      plainRun({
        scheme,
        seed,
        links: PARALLEL,
        slowdownCurve: [1, 2, seed],
        packets: { ...plainRun().packets, timeouts: 3, lost: 4 },
      }),
    ),
  );
  const page = reportPage(
    documentOf({
      heddle: '1.0.0',
      study: 'Two & two',
      schemes: ['ecmp', 'rlb <x>'],
      seeds: [1, 2],
      fabric: { hosts: 8, switches: 5, links: 20 },
      transport: { reliability: 'go-back-n', congestion: 'dcqcn', pfc: true },
      profile: { name: 'rocev2', changed: ['transport.dcqcn.gain'] },
      limit: 1000,
      runs: runs.map((run) => ({ ...run, seconds: 1, routingSeconds: 1 })),
    }),
  );
  expect(page).toContain('<title>Two &amp; two</title>');
  expect(page).toContain('2 seeds, 4 runs');
  expect(page).toContain('profile rocev2, but for transport.dcqcn.gain');
  expect(page).not.toMatch(/NaN|Infinity|undefined|<script|https?:|<x>/);
  expect(page.match(/type="checkbox"/g)).toHaveLength(2);
  expect(page.match(/data-kind="losses"/g)).toHaveLength(2);
  expect(page).toContain('class="band c0"');
});
