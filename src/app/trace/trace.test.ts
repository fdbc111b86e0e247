import { describe, expect, it } from 'vitest';
import { plainPaint } from '../cli/render/paint.js';
import { renderTrace } from '../cli/render/trace.js';
import { planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import type { Followed } from './follow.js';
import { type Counters, judge } from './judge.js';
import { decisionCommand, readLookup } from './lookup.js';

const FLOW = { source: 'fc00:1::1', destination: 'fc00:2:1:2::1', sourcePort: 50_000, destinationPort: 4791 };
const good = (value: unknown) => ({ status: 0, stdout: JSON.stringify([value].flat()), stderr: '' });
const hop = (dev: string, gateway: string) => ({ dev, gateway, weight: 1, flags: [] });

describe('a lookup', () => {
  it('asks for exactly the packets of the subflow, as they come in', () => {
    expect(decisionCommand(FLOW, 'to-host1').join(' ')).toBe(
      '-j -6 route get fc00:2:1:2::1 from fc00:1::1 iif to-host1 ipproto udp sport 50000 dport 4791',
    );
    expect(decisionCommand(FLOW, undefined)).not.toContain('iif');
  });

  it('knows the entry, its tier and which of its next hops was taken, whatever entry the decision names', () => {
    const decision = good({ dst: 'fc00:2:1:2::1', gateway: 'fe80::3', dev: 'to-spine3', protocol: '179', metric: 20 });
    const entries = good([
      { dst: 'default', dev: 'to-spine3', gateway: 'fe80::3', protocol: 'static', metric: 10 },
      { dst: 'fc00:2:1:2::/64', nhid: 7, protocol: '179', metric: 20, nexthops: [hop('to-spine2', 'fe80::2')] },
      {
        dst: 'fc00:2:1:2::/64',
        nhid: 8,
        protocol: '179',
        metric: 30,
        nexthops: [hop('to-spine1', 'fe80::1'), hop('to-spine3', 'fe80::3'), hop('to-spine4', 'fe80::4')],
      },
    ]);
    expect(readLookup(decision, entries)).toEqual({
      kind: 'forward',
      interface: 'to-spine3',
      route: {
        prefix: 'fc00:2:1:2::/64',
        metric: 30,
        protocol: '179',
        tier: 'fallback',
        nextHop: 'fe80::3',
        member: 2,
        members: 3,
        nextHopId: 8,
      },
    });
  });

  it('reads routes of other daemons and of the link itself', () => {
    const bird = good({ dst: FLOW.destination, gateway: 'fe80::3', dev: 'to-leaf2', protocol: 'bird', metric: 32 });
    const entry = good({ dst: 'fc00:2:1:2::/64', gateway: 'fe80::3', dev: 'to-leaf2', protocol: 'bird', metric: 32 });
    expect(readLookup(bird, entry)).toMatchObject({
      route: { protocol: 'bird', tier: null, member: 1, members: 1, nextHopId: null },
    });
    const connected = good({ dst: FLOW.destination, dev: 'to-host2', protocol: 'kernel', metric: 256 });
    expect(readLookup(connected, good([]))).toMatchObject({ route: { nextHop: null, prefix: FLOW.destination } });
  });

  it('knows the end of the way: here, nowhere, or dropped', () => {
    expect(readLookup(good({ type: 'local', dev: 'lo' }), good([]))).toEqual({ kind: 'local' });
    expect(readLookup(good({ type: 'blackhole', dev: 'lo' }), good([]))).toEqual({
      kind: 'dropped',
      reason: 'blackhole',
    });
    const refused = { status: 2, stdout: '', stderr: 'RTNETLINK answers: Network is unreachable\n' };
    expect(readLookup(refused, good([]))).toEqual({ kind: 'dropped', reason: 'no route (Network is unreachable)' });
  });
});

const parsed = parseTopology('name: x\nspines: 2\nleaves: 2\n');
if (!parsed.topology) throw new Error('a wrong topology');
const plan = planLab(parsed.topology);
const route = {
  prefix: 'p/64',
  metric: 20,
  protocol: '179',
  tier: 'preferred',
  nextHop: null,
  member: 1,
  members: 1,
  nextHopId: 1,
} as const;
const step = (node: string, egress: string, peer: string, peerInterface: string) => ({
  node,
  ingress: null,
  egress,
  route,
  peer,
  peerInterface,
});
const followed: Followed = {
  hops: [
    step('host1', 'eth0', 'leaf1', 'to-host1'),
    step('leaf1', 'to-spine1', 'spine1', 'to-leaf1'),
    step('spine1', 'to-leaf2', 'leaf2', 'to-spine1'),
    step('leaf2', 'to-host2', 'host2', 'eth0'),
  ],
  problem: null,
};

/** `NODE/INTERFACE sent received`. */
function counters(...lines: readonly string[]): Counters {
  const nodes = new Map<string, Map<string, { sent: number; received: number }>>();
  for (const line of lines) {
    const [place = '', sent, received] = line.split(' ');
    const [node = '', name = ''] = place.split('/');
    nodes.set(node, (nodes.get(node) ?? new Map()).set(name, { sent: Number(sent), received: Number(received) }));
  }
  return nodes;
}

const judged = (lines: readonly string[], way = followed) =>
  judge({ plan, followed: way, to: 'host2', sent: 500 }, counters('host1/eth0 100 0'), counters(...lines));
const FIRST = ['host1/eth0 600 0', 'leaf1/to-host1 0 500'];
const LAST = ['leaf2/to-host2 501 0', 'host2/eth0 0 501'];

describe('the counters of a burst', () => {
  it('confirm a way that carried all of it, whatever the daemons said meanwhile', () => {
    const burst = judged([
      ...FIRST,
      'leaf1/to-spine1 502 2',
      'spine1/to-leaf1 1 502',
      'spine1/to-leaf2 500 0',
      'leaf2/to-spine1 3 500',
      'leaf1/to-spine2 4 4',
      ...LAST,
    ]);
    expect(burst).toMatchObject({ confirmed: true, arrived: 501, differences: [] });
    expect(burst.hops[0]).toEqual({ sent: 500, received: 500 });
  });

  it('name the link that loses packets', () => {
    const burst = judged([...FIRST, 'leaf1/to-spine1 500 0', 'spine1/to-leaf1 0 3']);
    expect(burst).toMatchObject({ confirmed: false, arrived: 0 });
    expect(burst.differences).toEqual([
      'leaf1/to-spine1 - spine1/to-leaf1: 500 left, 3 of 500 came in: the link loses them',
    ]);
  });

  it('name where packets went instead', () => {
    const burst = judged([
      ...FIRST,
      'leaf1/to-spine2 500 0',
      'spine2/to-leaf1 0 500',
      'spine2/to-leaf2 500 0',
      'leaf2/to-spine2 0 500',
      ...LAST,
    ]);
    expect(burst.confirmed).toBe(false);
    expect(burst.differences).toEqual([
      'leaf1 should send by to-spine1: 0 of 500 left there',
      'leaf1/to-spine2 is not on the way, and 500 packets left there meanwhile',
      'spine2/to-leaf2 is not on the way, and 500 packets left there meanwhile',
    ]);
  });

  it('confirm nothing of a way that ends early, and say when packets arrive all the same', () => {
    const way = { hops: followed.hops.slice(0, 1), problem: 'leaf1 drops the packet: no route' };
    expect(judged(FIRST, way)).toMatchObject({ confirmed: false, differences: [] });
    expect(judged([...FIRST, ...LAST], way).differences.at(-1)).toBe('and yet 501 datagrams arrived at host2');
  });
});

describe('the drawing', () => {
  const trace = {
    from: 'host1',
    to: 'host2',
    queuePair: 1,
    colour: 1,
    flow: FLOW,
    datagrams: 500,
    arrived: 500,
    confirmed: true,
    problem: null,
    differences: [],
  };

  it('goes from node to node, with the decision and the count of each', () => {
    const hops = followed.hops.map((one) => ({ ...one, sent: 500, received: 500 }));
    expect(renderTrace({ ...trace, hops }, plainPaint)).toEqual([
      'host1 -> host2, queue pair 1, colour 1',
      'fc00:1::1 port 50000 -> fc00:2:1:2::1 port 4791, UDP',
      '  ● host1',
      '  │   eth0 -> leaf1        p/64 metric 20 (preferred)  500/500',
      '  ○ leaf1',
      '  │   to-spine1 -> spine1  p/64 metric 20 (preferred)  500/500',
      '  ○ spine1',
      '  │   to-leaf2 -> leaf2    p/64 metric 20 (preferred)  500/500',
      '  ○ leaf2',
      '  │   to-host2 -> host2    p/64 metric 20 (preferred)  500/500',
      '  ◆ host2',
      '500 datagrams sent, all counted on this way',
    ]);
  });

  it('ends where the way ends', () => {
    const problem = 'leaf1 drops the packet: no route';
    const hops = followed.hops.slice(0, 1).map((one) => ({ ...one, sent: 500, received: 500 }));
    expect(renderTrace({ ...trace, hops, problem, confirmed: false, arrived: 0 }, plainPaint).slice(-2)).toEqual([
      '  ✗ leaf1 drops the packet: no route',
      'the lookups do not lead to the destination: 0 of 500 datagrams arrived',
    ]);
  });
});
