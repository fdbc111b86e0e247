import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMac } from '../../core/net/eui64.js';
import { hostPlan } from '../host/host-plan.js';
import { plannedPort, uplinksOf } from '../host/host-ports.js';
import { planLab } from '../lab/plan.js';
import { parseTopology, readTopology } from '../lab/read-topology.js';
import { failurePanels, predictionPanel } from '../verify/picture.js';
import { predict } from '../verify/predict.js';
import { drawFabric } from './draw-fabric.js';
import type { PicturePanel } from './fabric-picture.js';
import { layOut } from './layout.js';
import { planPanel } from './plan-panel.js';

const parsed = parseTopology('name: x\nspines: 4\nleaves: 2\nhosts-per-leaf: 2\n');
if (!parsed.topology) throw new Error('a wrong topology');
const plan = planLab(parsed.topology);
const ENDS = { from: 'host1-1', to: 'host2-1' };
const without = (...failed: readonly string[]) => predictionPanel(predict(plan, new Set(failed)), 'a panel', ENDS);

/** Every element closes what it opened, attributes are quoted, and nothing stands outside the one root. */
function wellFormed(xml: string): boolean {
  const open: string[] = [];
  let roots = 0;
  const rest = xml
    .replace(/^<\?xml[^?]*\?>/, '')
    .replaceAll(/<(\/?)([a-z]+)((?:\s[\w:-]+="[^"<]*")*)(\/?)>/gi, (_, end, name, __, empty) => {
      if (end) return open.pop() === name ? '' : '<';
      if (open.length === 0) roots++;
      if (!empty) open.push(name);
      return '';
    });
  return open.length === 0 && roots === 1 && !/[<>]|&(?!(amp|lt|gt|quot);)/.test(rest);
}

const draw = (...panels: readonly PicturePanel[]) => drawFabric({ title: 'ways', panels });
const count = (text: string, what: RegExp) => (text.match(what) ?? []).length;

describe('the picture of a fabric', () => {
  it('is well-formed XML, whatever names and notes say', () => {
    expect(wellFormed(draw(without(), without('leaf1:spine2')))).toBe(true);
    const hostile = { ...without(), title: 'a < b & "c"', notes: ['<script>', "it's"] };
    const svg = draw(hostile);
    expect(wellFormed(svg)).toBe(true);
    expect(svg).toContain('a &lt; b &amp; &quot;c&quot;');
    expect(wellFormed('<svg><g></svg>')).toBe(false);
  });

  it('is the same each time it is drawn', () => {
    expect(draw(without('leaf1:spine2'))).toBe(draw(without('leaf1:spine2')));
  });

  it('has styles for light and for dark paper', () => {
    expect(draw(without())).toMatch(
      /<style>.*\.paper\{fill:#ffffff\}.*@media \(prefers-color-scheme:dark\)\{.*\.paper\{fill:#12161c\}/,
    );
  });

  it('names every node, and the number of its colour on every ribbon between leaf and spine', () => {
    const svg = draw(without());
    for (const name of ['spine1', 'spine4', 'leaf2', 'host1-1', 'host2-2']) expect(svg).toContain(`>${name}</text>`);
    // Four colours, each up and down.
    expect(count(svg, /<circle/g)).toBe(8);
    expect(count(svg, /class="way c0"/g)).toBe(5);
    expect(svg).toContain('>1 (green): host1-1 to host2-1 by spine1</text>');
  });

  it('crosses out what failed, and draws what goes round it as wide as its share', () => {
    const svg = draw(without('leaf1:spine2'));
    expect(count(svg, /class="cross"/g)).toBe(1);
    expect(svg).toContain('leaf1:spine2: failed');
    expect(svg).toContain('>2 (blue): host1-1 to host2-1 by spine1, spine3 and spine4</text>');
    expect(count(svg, /class="way c1"[^>]*stroke-width="2\.3"/g)).toBe(6);
    expect(count(svg, />1\.33<\/text>/g)).toBe(6);
    const gone = draw(without('leaf1:spine4', 'leaf2:spine4'));
    expect(gone).toContain('<text class="name lost"');
    expect(count(gone, /class="gone"/g)).toBe(1);
  });

  it('shows a failure before, at and after it, between hosts that it concerns', () => {
    const panels = failurePanels(predict(plan), predict(plan, new Set(['leaf2:spine3'])));
    expect(panels.map(({ title }) => title)).toEqual([
      'before',
      'at the failure: kernels alone',
      'after: all routers know',
    ]);
    const third = panels.map(({ ways }) => ways[2]?.label);
    // The spine has nothing behind its one link: until it has told leaf1, what comes is lost.
    expect(third).toEqual([
      'host1-1 to host2-1 by spine3',
      'host1-1 does not reach host2-1',
      'host1-1 to host2-1 by spine1, spine2 and spine4',
    ]);
    const near = failurePanels(predict(plan), predict(plan, new Set(['leaf1:spine3'])));
    // The leaf's own kernel falls through at once.
    expect(near.slice(1).map(({ ways }) => ways[2]?.label)).toEqual(
      new Array(2).fill('host1-1 to host2-1 by spine1, spine2 and spine4'),
    );
    expect(failurePanels(predict(plan), predict(plan)).map(({ title }) => title)).toEqual(['all links up']);
  });

  it('says what does not arrive', () => {
    const svg = draw(without('leaf2:host2-1'));
    expect(svg).toContain('host1-1 does not reach host2-1');
    expect(svg).toContain('4 of 4 subflows do not arrive');
  });

  it('sets panels beside each other, and below each other where they are wide', () => {
    const moves = (svg: string) =>
      [...svg.matchAll(/<g transform="translate\((\S+) (\S+)\)"><text class="panel"/g)].map(([, x, y]) => [x, y]);
    const [first, second] = moves(draw(without(), without()));
    expect(second?.[1]).toBe(first?.[1]);
    const spines = Array.from({ length: 9 }, (_, index) => `s${index}`);
    const wide = { ...without(), spines, links: [], ways: [] };
    const [upper, lower] = moves(draw(wide, wide));
    expect(lower?.[0]).toBe(upper?.[0]);
  });

  it('lets no box overlap another, and ends every link at the boxes of its nodes', () => {
    const { boxes, ends } = layOut(without());
    const all = [...boxes.values()];
    for (const [index, one] of all.entries())
      for (const other of all.slice(index + 1))
        expect(one.y !== other.y || one.x + one.width < other.x || other.x + other.width < one.x).toBe(true);
    const [upper, lower] = ends.get('leaf1:spine2')!;
    const [spine, leaf] = [boxes.get('spine2')!, boxes.get('leaf1')!];
    expect(upper.y).toBe(spine.y + spine.height);
    expect(lower.y).toBe(leaf.y);
    expect(lower.x).toBeGreaterThan(leaf.x);
    expect(lower.x).toBeLessThan(leaf.x + leaf.width);
  });
});

describe('the picture in the documents', () => {
  it('is what heddle verify labs/demo.yaml --fail leaf1:spine2 --svg docs/failure.svg draws', () => {
    const demo = planLab(readTopology('labs/demo.yaml'));
    const panels = failurePanels(predict(demo), predict(demo, new Set(['leaf1:spine2'])));
    const drawn = drawFabric({ title: 'What is expected of demo when leaf1:spine2 fails', panels });
    expect(readFileSync('docs/failure.svg', 'utf8')).toBe(drawn);
  });
});

describe('the picture of a plan', () => {
  const uplinks = uplinksOf(plan);
  const hosts = plan.hosts.map((host, index) =>
    plannedPort(host, parseMac(`02:00:00:00:00:0${index + 1}`), uplinks, 2),
  );

  it('shows each queue pair on its uplink', () => {
    const pair = hostPlan({ source: 'x.yaml', pattern: 'pair', hosts: [hosts[0]!, hosts[2]!], uplinks });
    const panel = planPanel(plan, pair);
    expect(panel.ways[2]).toEqual({
      colour: 3,
      label: 'queue pair 3 by spine3, 1 subflow',
      uses: ['leaf1:host1-1', 'leaf2:host2-1', 'leaf1:spine3', 'leaf2:spine3'].map((link) => ({ link, share: 1 })),
    });
    expect(panel.notes).toEqual(['4 queue pairs = 4 addresses = 4 uplinks: each uplink carries one']);
  });

  it('shows how many subflows of a job each link carries', () => {
    const ring = hostPlan({ source: 'x.yaml', pattern: 'ring', hosts, uplinks });
    const { links } = planPanel(plan, ring);
    expect(links.filter(({ b }) => b.startsWith('spine')).map(({ load }) => load)).toEqual(new Array(8).fill('2'));
  });
});
