import { describe, expect, it } from 'vitest';
import { type LabPlan, planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import { grouped, sentence } from './difference.js';
import { failuresOf } from './failures.js';
import type { FabricState, NodeState, SeenPath } from './observation.js';
import { predict } from './predict.js';
import { probeDifferences } from './probe-differences.js';
import { seenAsPredicted } from './seen-state.fixture.js';
import { verify } from './verify.js';

function planOf(...lines: readonly string[]): LabPlan {
  const parsed = parseTopology(['name: model', ...lines].join('\n'));
  if (parsed.topology !== undefined) return planLab(parsed.topology);
  throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
}

const HEDDLE = planOf('spines: 4', 'leaves: 2');
const MIXED = planOf('spines: 4', 'leaves: 2', 'implementations: { spine2: frr, spine3: bird }');

const failing = (plan: LabPlan, ...texts: readonly string[]) => predict(plan, failuresOf(plan, texts).links);

/** One sentence a difference, of a fabric as `plan` says but for what `change` makes of it. */
function told(plan: LabPlan, change: (state: FabricState) => FabricState, assumed = predict(plan)): string[] {
  const { differences } = verify(assumed, change(seenAsPredicted(assumed)));
  return grouped(differences).map(sentence);
}

function atNode(name: string, change: (node: NodeState) => NodeState) {
  return (state: FabricState): FabricState => ({
    ...state,
    routers: new Map([...state.routers].map(([key, node]) => [key, key === name ? change(node) : node])),
  });
}

/** Paths of a node over an interface. */
function atPaths(node: string, name: string, change: (path: SeenPath, prefix: string) => SeenPath | undefined) {
  return atNode(node, (state) => ({
    ...state,
    routes: state.routes.map(({ prefix, paths }) => ({
      prefix,
      paths: paths.flatMap((path) => (path.interface === name ? (change(path, prefix) ?? []) : path)),
    })),
  }));
}

const withoutColour = (path: SeenPath): SeenPath => ({ ...path, colour: null });
const withoutAigp = (path: SeenPath): SeenPath => ({ ...path, aigp: null });

describe('a fabric that does as the model says', () => {
  it.each([
    ['of heddle', HEDDLE],
    ['of three implementations', MIXED],
    ['with two links per pair', planOf('spines: 2', 'leaves: 2', 'links-per-pair: 2', 'dpf-mode: session')],
    ['of FRR and BIRD leaves', planOf('spines: 4', 'leaves: 3', 'implementations: { leaf2: frr, leaf3: bird }')],
  ])('%s has no differences, with a failure or without', (_, plan) => {
    expect(told(plan, (state) => state)).toEqual([]);
    expect(told(plan, (state) => state, failing(plan, 'leaf1:spine2'))).toEqual([]);
  });
});

describe('likely causes', () => {
  it('a peer that strips colours which it has itself', () => {
    expect(told(HEDDLE, atPaths('leaf2', 'to-spine3', withoutColour))).toEqual([
      'leaf2 fc00:1:1:1::/64 (and 3 more): colour missing via to-spine3, expected 1; likely: the peer strips opaque ' +
        'communities: spine3 (heddle) has the colour itself, so look at send-colour and export policies there',
    ]);
  });

  it('a colour that is lost before the spine is told of the spine alone', () => {
    const change = (state: FabricState) =>
      atPaths('leaf2', 'to-spine3', (path, prefix) => (prefix.startsWith('fc00:1:') ? withoutColour(path) : path))(
        atPaths('spine3', 'to-leaf1', withoutColour)(state),
      );
    expect(told(HEDDLE, change)).toEqual([
      'spine3 fc00:1:1:1::/64 (and 3 more): colour missing via to-leaf1, expected 1; likely: leaf1 sends none ' +
        '(send-colour: false on its interface?), or an import filter here drops communities',
    ]);
  });

  it('AIGP that FRR drops, whose leaves then prefer nobody', () => {
    const lost = (path: SeenPath, prefix: string) => (prefix.startsWith('fc00:1:1:2') ? withoutAigp(path) : path);
    const uplinks = [1, 2, 3, 4].map((number) => `to-spine${number}`);
    const change = (state: FabricState) =>
      atNode('leaf2', (node) => ({
        ...node,
        routes: node.routes.map(({ prefix, paths }) => ({
          prefix,
          paths: prefix === 'fc00:1:1:2::/64' ? paths.map((path) => ({ ...path, use: 'preferred' as const })) : paths,
        })),
        kernel: node.kernel.flatMap((route) => {
          if (route.prefix !== 'fc00:1:1:2::/64') return route;
          return route.metric === 20 ? { ...route, interfaces: uplinks } : [];
        }),
      }))(atPaths('leaf2', 'to-spine2', lost)(atPaths('spine2', 'to-leaf1', lost)(state)));
    expect(told(MIXED, change)).toEqual([
      'spine2 fc00:1:1:2::/64: AIGP missing via to-leaf1, expected 1; likely: AIGP 1 of leaf1 (heddle) is dropped by ' +
        'spine2 (frr without neighbor X aigp and oad), or leaf1 sends none here',
    ]);
  });

  it('AIGP that a spine has and does not pass on', () => {
    const [line] = told(MIXED, atPaths('leaf2', 'to-spine3', withoutAigp));
    expect(line).toBe(
      'leaf2 fc00:1:1:3::/64: AIGP missing via to-spine3, expected 1; likely: AIGP dropped by peer spine3 (bird without ' +
        'aigp on): it has it itself and passes none on',
    );
  });

  it('a path that a spine cannot use itself', () => {
    const change = (state: FabricState) =>
      atPaths(
        'leaf2',
        'to-spine1',
        () => undefined,
      )(atPaths('spine1', 'to-leaf1', (path) => ({ ...path, use: 'hidden', reason: 'own AS in the path' }))(state));
    const lines = told(HEDDLE, change);
    expect(lines[0]).toContain(
      'spine1 fc00:1:1:1::/64 (and 3 more): the path via to-leaf1 is not eligible; likely: own AS',
    );
  });

  it('a session that is down is told once, with what the daemon says', () => {
    const assumed = predict(HEDDLE);
    const cut = seenAsPredicted(failing(HEDDLE, 'leaf1:spine2'));
    const silentCut = { ...cut, links: cut.links.map((link) => ({ ...link, state: 'up' as const })) };
    expect(grouped(verify(assumed, silentCut).differences).map(sentence)).toEqual([
      'leaf1: session leaf1:spine2 is down; likely: no carrier',
    ]);
  });

  it('a link that is cut, and one that is assumed to be and is not', () => {
    const cut = seenAsPredicted(failing(HEDDLE, 'leaf1:spine2'));
    expect(grouped(verify(predict(HEDDLE), cut).differences).map(sentence)).toEqual([
      'leaf1: link leaf1:spine2 is cut: an interface is set down; likely: somebody cut it: heddle lab heal leaf1:spine2 ' +
        'mends it, --fail leaf1:spine2 takes it as given',
    ]);
    const whole = seenAsPredicted(predict(HEDDLE));
    expect(grouped(verify(failing(HEDDLE, 'leaf1:spine2'), whole).differences).map(sentence)).toEqual([
      'leaf1: link leaf1:spine2 is up, and assumed to have failed; likely: nothing has failed there yet: heddle lab fail ' +
        'leaf1:spine2',
    ]);
  });

  it('a kernel without its fallback route, with what heddle says of it', () => {
    const change = atNode('leaf2', (node) => ({
      ...node,
      kernel: node.kernel.filter(({ metric, prefix }) => metric !== 30 || prefix !== 'fc00:1:1:1::/64'),
      fibProblems: [{ prefix: 'fc00:1:1:1::/64', why: 'the kernel refused it: no space' }],
    }));
    expect(told(HEDDLE, change)).toEqual([
      'leaf2 fc00:1:1:1::/64: kernel lacks metric 30 route to to-spine2, to-spine3, to-spine4; likely: the kernel refused it: no space',
    ]);
  });

  it('a foreign route, before ours and behind', () => {
    const foreign = (metric: number) =>
      atNode('leaf2', (node) => ({
        ...node,
        kernel: [...node.kernel, { prefix: 'fc00:1:1:1::/64', metric, protocol: 'static', interfaces: ['to-spine3'] }],
      }));
    expect(told(HEDDLE, foreign(5))[0]).toContain('(protocol static, metric 5, to-spine3) takes the traffic');
    expect(told(HEDDLE, foreign(1024))[0]).toContain('metric 1024, to-spine3) lies behind');
  });

  it('a prefix that nobody has, a choice that is another, and a daemon that does not answer', () => {
    const extra = atNode('spine1', (node) => ({
      ...node,
      routes: [...node.routes, { prefix: 'fc00:9::/64', paths: [{ ...node.routes[0]!.paths[0]! }] }],
    }));
    expect(told(HEDDLE, extra)[0]).toContain(
      'spine1 fc00:9::/64: a prefix that the topology does not have, via to-leaf1',
    );
    const pinned = atPaths('leaf2', 'to-spine1', (path) => ({ ...path, use: 'fallback' }));
    expect(told(HEDDLE, pinned)[0]).toContain('takes to-spine1 fallback; expected to-spine1 preferred');
    const silent = atNode('leaf2', (node) => ({
      ...node,
      silent: 'no daemon at leaf2.sock',
      sessions: [],
      routes: [],
    }));
    expect(told(HEDDLE, silent)).toEqual(['leaf2: its daemon does not answer; likely: no daemon at leaf2.sock']);
  });
});

describe('probes', () => {
  const count = (from: string, to: string, [sent, received]: readonly [number, number]) => ({
    link: `${from}:${to}`,
    from,
    to,
    interface: `to-${to}`,
    sent,
    received,
  });
  const load = (from: string, to: string, amount: number) => ({ link: `${from}:${to}`, from, to, load: amount });
  const reading = (...links: ReturnType<typeof count>[]) => ({
    prefix: 'fc00:1:1:1::/64',
    host: 'host1',
    sent: 256,
    expected: { links: [load('leaf2', 'spine1', 256), load('spine1', 'host1', 256)], cutOff: [] },
    links,
  });
  const lines = (of: ReturnType<typeof reading>, known: ReadonlySet<string> = new Set()) =>
    grouped(probeDifferences([of], known)).map(sentence);

  it('that take the expected links are none, with the chatter of daemons beside them', () => {
    const quiet = count('leaf2', 'spine2', [5, 5]);
    expect(lines(reading(count('leaf2', 'spine1', [258, 258]), count('spine1', 'host1', [257, 257]), quiet))).toEqual(
      [],
    );
  });

  it('that leave by another link, and that a link loses', () => {
    const none = count('leaf2', 'spine1', [0, 0]);
    expect(lines(reading(none, count('leaf2', 'spine2', [256, 256]), count('spine1', 'host1', [256, 256])))).toEqual([
      'leaf2 fc00:1:1:1::/64: probes to it leave by to-spine2, expected to-spine1; likely: its kernel forwards otherwise than ' +
        'its tables say',
    ]);
    const lossy = reading(count('leaf2', 'spine1', [256, 0]), count('spine1', 'host1', [0, 0]));
    expect(lines(lossy)).toContain(
      'leaf2 fc00:1:1:1::/64: of 256 probes that it sends on to-spine1, 0 come in at spine1; likely: the link loses packets',
    );
    expect(lines(lossy)).toContain('host1 fc00:1:1:1::/64: 0 of 256 probes arrive');
  });
});
