import { describe, expect, it } from 'vitest';
import type { FabricState, NodeState } from '../../app/verify/observation.js';
import { seenAsPredicted } from '../../app/verify/seen-state.fixture.js';
import { parsePrefix } from '../../core/net/prefix.js';
import { expectationOf } from '../expectation.js';
import { fabricPlan } from '../fabric-plan.js';
import { Intent } from '../intent.js';
import { blackholes } from '../invariants/blackholes.js';
import { loopsOf } from '../invariants/loops.js';
import { PLAIN_FABRIC } from '../plain-fabric.js';
import { forwarding, nextRouters, selection, sessions, withoutDown } from './lab-invariants.js';
import { changes, unixConnections } from './sizes.js';

const PLAN = fabricPlan({ ...PLAIN_FABRIC, delay: 0 });
const PREFIX = 'fc00:2:1:1::/64';

function judged(change: (leaf1: NodeState) => NodeState = (node) => node, intent = new Intent(PLAN)) {
  const expected = expectationOf(intent);
  const state = seenAsPredicted(expected.prediction);
  const seen: FabricState = { ...state, routers: new Map(state.routers) };
  const routers = new Map(state.routers).set('leaf1', change(state.routers.get('leaf1')!));
  const kernels = new Map([...routers].map(([name, { kernel }]) => [name, kernel]));
  const next = nextRouters(intent, kernels);
  const present = withoutDown({ ...seen, routers }, intent);
  return {
    violations: [
      ...sessions(intent, expected, present),
      ...selection(expected, present),
      ...forwarding(expected, present),
      ...blackholes(intent, expected, next),
    ].map(({ invariant, place }) => `${invariant} ${place}`),
    next,
  };
}

function withKernel(interfaces: readonly string[]) {
  return (node: NodeState): NodeState => ({
    ...node,
    kernel: node.kernel.map((route) => (route.prefix === PREFIX ? { ...route, interfaces } : route)),
  });
}

describe('daemons and kernels against the model', () => {
  it('violate nothing when they are as they must be, with links cut and a router down too', () => {
    expect(judged().violations).toEqual([]);
    const intent = new Intent(PLAN);
    intent.cut.add('leaf1:spine1');
    intent.down.add('spine2');
    expect(judged(undefined, intent).violations).toEqual([]);
  });

  it('violate by name what they do not do', () => {
    expect(judged((node) => ({ ...node, silent: 'no answer' })).violations).toContain('sessions leaf1');
    const down = (node: NodeState) => ({ ...node, sessions: node.sessions.map((one) => ({ ...one, up: false })) });
    expect(judged(down).violations).toEqual(['sessions leaf1 to-spine1', 'sessions leaf1 to-spine2']);
    expect(judged((node) => ({ ...node, routes: node.routes.slice(1) })).violations).toContain(
      `selection leaf1 ${PREFIX}`,
    );
    expect(judged(withKernel(['to-spine2'])).violations).toContain(`forwarding leaf1 ${PREFIX}`);
    expect(judged(withKernel([])).violations).toContain(`no-blackhole leaf1 ${PREFIX}`);
  });

  it('have sessions where none must be', () => {
    const intent = new Intent(PLAN);
    const before = seenAsPredicted(expectationOf(intent).prediction);
    intent.cut.add('leaf1:spine1');
    const found = sessions(intent, expectationOf(intent), before);
    expect(found.map(({ place }) => place)).toEqual(['spine1 to-leaf1', 'leaf1 to-spine1']);
  });

  it('send packets where the least metric leads, nowhere over a link that is cut, and round and round', () => {
    const intent = new Intent(PLAN);
    const destination = parsePrefix(PREFIX)!;
    expect(judged().next('leaf1', destination)).toEqual(['spine1']);
    const { next } = judged(withKernel(['to-spine2']), intent);
    expect(next('leaf1', destination)).toEqual(['spine2']);
    intent.cut.add('leaf1:spine2');
    expect(next('leaf1', destination)).toEqual([undefined]);
    expect(loopsOf(PLAN, () => ['spine1'])).toHaveLength(4);
    expect(loopsOf(PLAN, judged().next)).toEqual([]);
  });

  it('have other sizes than before', () => {
    const before = new Map([['leaf1', { paths: 4, sessions: 2 }]]);
    expect(changes('memory', before, new Map([['leaf1', { paths: 4, sessions: 3 }]]))).toEqual([
      { invariant: 'memory', place: 'leaf1', detail: 'sessions: 2 before, 3 now' },
    ]);
  });

  it('do not count who asks: connections over Unix sockets, but not what listens', () => {
    const table = `Num       RefCount Protocol Flags    Type St Inode Path
00000000935bd322: 00000003 00000000 00000000 0001 03  1585
000000006fa1c977: 00000002 00000000 00010000 0001 01  1586 /run/heddle.sock
00000000c34a4dbd: 00000003 00000000 00000000 0001 03 9903784 /run/heddle.sock
`;
    expect(unixConnections(table)).toEqual(new Set(['socket:[1585]', 'socket:[9903784]']));
  });
});
