import { describe, expect, it } from 'vitest';
import { planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import { failuresOf } from './failures.js';
import { everyPair, flowPath, linkLoads } from './link-loads.js';
import { fallbackOf, pathsOfUse, preferredOf, routeOf } from './model.js';
import { predict } from './predict.js';

function planOf(...lines: readonly string[]) {
  const parsed = parseTopology(['name: model', ...lines].join('\n'));
  if (parsed.topology !== undefined) return planLab(parsed.topology);
  throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
}

const FOUR = planOf('spines: 4', 'leaves: 4');

function failed(plan: ReturnType<typeof planOf>, ...texts: readonly string[]): ReadonlySet<string> {
  const failures = failuresOf(plan, texts);
  if (failures.links) return failures.links;
  throw new Error(failures.problem);
}

const sentTo = (prediction: ReturnType<typeof predict>, from: string, to: string) =>
  linkLoads(prediction).links.find((one) => one.from === from && one.to === to)?.load;

describe('the paths of a fabric of heddle', () => {
  const intact = predict(FOUR);

  it('the uplink of the colour has AIGP 1, the others stand behind it', () => {
    const route = routeOf(intact, 'leaf2', 'fc00:1:1:3::/64');
    expect(route.paths).toEqual(
      [1, 2, 3, 4].map((number) => ({
        link: `leaf2:spine${number}`,
        interface: `to-spine${number}`,
        peer: `spine${number}`,
        colour: 3,
        ...(number === 3
          ? { aigp: 1n, use: 'preferred', told: { colour: 3, aigp: 1n } }
          : { use: 'fallback', told: { colour: 3 } }),
      })),
    );
  });

  it('a spine has the one way to the leaf, with AIGP 0 where it is the colour of the spine', () => {
    expect(routeOf(intact, 'spine3', 'fc00:1:1:3::/64').paths).toMatchObject([{ interface: 'to-leaf1', aigp: 0n }]);
    expect(routeOf(intact, 'spine2', 'fc00:1:1:3::/64').paths[0]).not.toHaveProperty('aigp');
  });

  it('the origin needs no path', () => {
    expect(routeOf(intact, 'leaf1', 'fc00:1:1:3::/64')).toMatchObject({ local: true, paths: [] });
  });

  it('with the far link of its spine down, a prefix takes all other uplinks and has nothing behind them', () => {
    const route = routeOf(predict(FOUR, failed(FOUR, 'leaf1:spine3')), 'leaf2', 'fc00:1:1:3::/64');
    expect(preferredOf(route)).toEqual(['to-spine1', 'to-spine2', 'to-spine4']);
    expect(fallbackOf(route)).toEqual([]);
  });

  it('a prefix whose host is cut off is told nobody', () => {
    const { routes } = predict(FOUR, failed(FOUR, 'leaf1:host1'));
    for (const router of ['leaf1', 'spine3', 'leaf2'])
      expect(routes.get(router)!.get('fc00:1:1:3::/64')).toMatchObject({ local: false, paths: [] });
    expect(preferredOf(routes.get('leaf2')!.get('fc00:3:1:3::/64')!)).toEqual(['to-spine3']);
  });
});

describe('a fabric without colours', () => {
  const plain = planOf('spines: 4', 'leaves: 2', 'dpf-mode: none');

  it('shares every flow among all uplinks', () => {
    const { links, cutOff } = linkLoads(predict(plain));
    expect(links.filter(({ link }) => link.includes('spine')).map(({ load }) => load)).toEqual(
      Array.from({ length: 16 }, () => 1),
    );
    expect(cutOff).toEqual([]);
  });

  it('and with a link down among the others', () => {
    const prediction = predict(plain, failed(plain, 'leaf1:spine2'));
    expect(sentTo(prediction, 'leaf1', 'spine2')).toBe(0);
    expect(sentTo(prediction, 'leaf1', 'spine3')).toBeCloseTo(4 / 3, 5);
    expect(sentTo(prediction, 'leaf2', 'spine2')).toBe(0);
  });
});

describe('two links per pair', () => {
  const mode = (text: string) => planOf('spines: 2', 'leaves: 2', 'links-per-pair: 2', `dpf-mode: ${text}`);

  it('tie in policy mode', () => {
    const route = routeOf(predict(mode('policy')), 'leaf2', 'fc00:1:1:1::/64');
    expect(preferredOf(route)).toEqual(['to-spine1-1', 'to-spine1-2']);
    expect(fallbackOf(route)).toEqual(['to-spine2-1', 'to-spine2-2']);
  });

  it('are kept apart in session mode, at leaf and spine, each path in the colour of its link', () => {
    const prediction = predict(mode('session'));
    const route = routeOf(prediction, 'leaf2', 'fc00:1:1:1::/64');
    expect(preferredOf(route)).toEqual(['to-spine1-1']);
    expect(route.paths.map(({ colour }) => colour)).toEqual([1, 2, 3, 4]);
    expect(preferredOf(routeOf(prediction, 'spine1', 'fc00:1:1:1::/64'))).toEqual(['to-leaf1-1']);
  });
});

describe('other implementations', () => {
  const spines = planOf('spines: 4', 'leaves: 3', 'implementations: { spine2: frr, spine3: bird, leaf2: frr }');
  const prediction = predict(spines);
  const at = (router: string, colour: number) => routeOf(prediction, router, `fc00:1:1:${colour}::/64`);
  const leaves = planOf('spines: 4', 'leaves: 3', 'implementations: { leaf2: frr, leaf3: bird }');

  it('FRR spines strip colours and set AIGP, BIRD passes both on', () => {
    const heddle = routeOf(prediction, 'leaf1', 'fc00:3:1:2::/64').paths;
    expect(heddle.map(({ colour, aigp }) => [colour, aigp])).toEqual([
      [2, undefined],
      [undefined, 1n],
      [2, undefined],
      [2, undefined],
    ]);
    expect(at('spine2', 2).paths).toMatchObject([{ aigp: 1n }]);
    expect(at('spine3', 3).paths).toMatchObject([{ aigp: 0n, colour: 3 }]);
  });

  it.each(['leaf2', 'leaf3'])('%s, FRR or BIRD, chooses as heddle does, with nothing installed behind', (leaf) => {
    const route = routeOf(predict(leaves), leaf, 'fc00:1:1:3::/64');
    expect(preferredOf(route)).toEqual(['to-spine3']);
    expect(pathsOfUse(route, 'spare')).toHaveLength(3);
  });

  it('with the uplink gone FRR takes all others, BIRD the lowest identifier', () => {
    const without = predict(leaves, failed(leaves, 'spine1'));
    const of = (leaf: string) => preferredOf(routeOf(without, leaf, 'fc00:1:1:1::/64'));
    expect(of('leaf2')).toEqual(['to-spine2', 'to-spine3', 'to-spine4']);
    expect(of('leaf3')).toEqual(['to-spine2']);
  });

  it('their limits are told', () => {
    expect(prediction.notes).toContain('spine2 (FRR) passes no colours on, and sets AIGP 1 on import');
  });
});

describe('loads', () => {
  it('are even on an intact fabric', () => {
    const { links, cutOff } = linkLoads(predict(FOUR));
    // Three other hosts, one unit each, on the uplink of each colour.
    expect(new Set(links.filter(({ link }) => link.includes('spine')).map(({ load }) => load))).toEqual(new Set([3]));
    expect(cutOff).toEqual([]);
  });

  it('of a dead uplink go to the others in equal parts, up and down', () => {
    const prediction = predict(FOUR, failed(FOUR, 'leaf1:spine4'));
    expect(sentTo(prediction, 'leaf1', 'spine4')).toBe(0);
    for (const spine of ['spine1', 'spine2', 'spine3']) {
      expect(sentTo(prediction, 'leaf1', spine)).toBe(4);
      expect(sentTo(prediction, spine, 'leaf1')).toBe(4);
    }
    // What leaf2 sends to leaf1 in colour 4 takes the others; the rest stays.
    expect(sentTo(prediction, 'leaf2', 'spine4')).toBe(2);
    expect(sentTo(prediction, 'leaf2', 'spine1')).toBeCloseTo(3 + 1 / 3, 5);
  });

  it('say who is cut off, and where', () => {
    const prediction = predict(FOUR, failed(FOUR, 'leaf1:host1'));
    const { cutOff } = linkLoads(prediction);
    expect(new Set(cutOff.map(({ at }) => at))).toEqual(new Set(['host1', 'leaf2', 'leaf3', 'leaf4']));
    expect(cutOff).toHaveLength(everyPair(prediction).filter(({ from, to }) => [from, to].includes('host1')).length);
  });

  it('follow one flow', () => {
    const { uses } = flowPath(predict(FOUR), { from: 'host1', to: 'host3', colour: 2 });
    expect(uses.map(({ from, to, share }) => [from, to, share])).toEqual([
      ['host1', 'leaf1', 1],
      ['leaf1', 'spine2', 1],
      ['spine2', 'leaf3', 1],
      ['leaf3', 'host3', 1],
    ]);
  });
});

describe('what is assumed to fail', () => {
  const pair = planOf('spines: 2', 'leaves: 2', 'links-per-pair: 2');

  it.each([
    ['leaf1:spine2/2', ['leaf1:spine2/2']],
    ['spine2:leaf1', ['leaf1:spine2/1', 'leaf1:spine2/2']],
    ['spine1', ['leaf1:spine1/1', 'leaf1:spine1/2', 'leaf2:spine1/1', 'leaf2:spine1/2']],
    ['host1', ['leaf1:host1']],
  ])('%s', (text, links) => {
    expect([...failed(pair, text)]).toEqual(links);
  });

  it.each([
    ['leaf1:spine3', 'there is no node spine3: did you mean spine1?'],
    ['xyz', 'there is no node xyz; nodes: spine1, spine2, leaf1, leaf2, host1, host2'],
    ['leaf1:spine2/3', 'there is no link leaf1:spine2/3: the pair has 2'],
    ['leaf1:leaf2', 'there is no link between leaf1 and leaf2'],
    ['a:b:c', 'a:b:c names no link and no node: expected leaf1:spine2, leaf1:spine2/2 or spine2'],
  ])('%s is refused', (text, problem) => {
    expect(failuresOf(pair, [text])).toEqual({ problem });
  });
});
