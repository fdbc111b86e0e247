/** The plain tables: summary, neighbors, routes, fib, interfaces. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NEIGHBOR, SUMMARY } from '../../../edge/control/samples.fixture.js';
import type { FibDifference, FibEntry, Interface, Neighbor, RouteSummary } from '../../../edge/control/schema.js';
import { renderFib, renderFibDifferences } from './fib.js';
import { renderInterfaces } from './interfaces.js';
import { renderNeighbor, renderNeighbors } from './neighbors.js';
import { plainPaint } from './paint.js';
import { ROUTE_LEGEND, renderRoutes } from './routes.js';
import { renderSummary } from './summary.js';

describe('renderSummary', () => {
  it('says what the router is and how it is', () => {
    expect(renderSummary(SUMMARY, plainPaint)).toEqual([
      'leaf1  leaf  AS 65101  router id 10.1.0.1',
      '',
      'neighbors  3 of 4 up',
      'routes     9 prefixes, 21 paths',
      'fib        4 installed, 0 pending, 1 failed',
      'kernel     4 next hops, 5 groups, 1006 routes written',
      'dpf        policy mode',
      'families   ipv6-unicast, ipv4-unicast',
      'process    pid 42, version 0.1.0, up 1m05s',
      'startup    1.23 s from link-up to all routes in the kernel',
    ]);
  });

  it('says what a start-up that is not complete waits for', () => {
    const waiting = (...waitsFor: string[]) => {
      const startup = { linkUpToRoutesMs: null, convergedAt: null, waitsFor };
      return renderSummary({ ...SUMMARY, startup }, plainPaint).at(-1);
    };
    expect(waiting('a session with eth2', 'the kernel')).toBe(
      'startup    not complete: waits for a session with eth2; the kernel',
    );
    expect(waiting()).toBe('startup    not complete');
  });
});

const UNHEARD: Neighbor = {
  ...NEIGHBOR,
  interface: 'to-spine2',
  address: null,
  localAddress: null,
  as: null,
  routerId: null,
  hostname: null,
  state: 'idle',
  reason: 'no router advertisement heard yet',
  why: 'nobody is heard',
  next: 'send router advertisements',
  colour: null,
  uptimeMs: null,
  prefixes: { received: 0, accepted: 0, advertised: 0 },
  security: { gtsm: 'auto', hopLimit: null, md5: false, tcpAo: null },
  prefixLimits: [],
  hold: null,
  holdTime: null,
  keepaliveTime: null,
  families: [],
  capabilities: [],
  attempts: 0,
  establishedCount: 0,
  lastDown: null,
};

describe('renderNeighbors', () => {
  it('is a table, with the reason under a neighbor that is not up', () => {
    expect(renderNeighbors([NEIGHBOR, UNHEARD], plainPaint)).toEqual([
      'INTERFACE  NEIGHBOR                      AS  COLOUR   STATE     RECV  USED  SENT',
      'to-spine1  fe80::a8c1:abff:fe12:3456  65001  1 green  up 1m02s     5     4     8',
      'to-spine2  -                              -  -        idle         0     0     0',
      '    nobody is heard',
    ]);
    expect(renderNeighbors([], plainPaint)).toEqual(['no fabric interface and no neighbor is configured']);
  });

  it('says what of path identifiers was agreed, each direction by itself', () => {
    const addPath: Neighbor['addPath'] = [
      { family: 'ipv6-unicast', receive: 'agreed', send: 'offered', paths: 'best 2' },
      { family: 'ipv4-unicast', receive: 'off', send: 'agreed', paths: 'all' },
    ];
    const lines = renderNeighbor({ ...NEIGHBOR, addPath }, plainPaint).filter((line) => line.includes('add-path'));
    expect(lines.map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
      'add-path ipv6-unicast receive agreed; send offered by us alone (best 2)',
      'add-path ipv4-unicast receive off; send agreed (all)',
    ]);
  });

  it('tells what is configured beside policies', () => {
    const lines = renderNeighbor({ ...NEIGHBOR, options: ['local-as 65009', 'as-override'] }, plainPaint);
    expect(lines).toContain('  options        local-as 65009, as-override');
  });

  it('tells everything about one', () => {
    expect(renderNeighbor(NEIGHBOR, plainPaint)).toEqual([
      'to-spine1  fe80::a8c1:abff:fe12:3456',
      '  state          established for 1m02s',
      '  attempts       2, of which 1 came up',
      '  last down      1m40s ago: link down',
      '  prefixes       5 received, 4 accepted, 8 advertised',
      '  colour         1 green',
      '  AS             65001 (accepted: 65001-65004)',
      '  local address  fe80::1',
      '  router id      10.0.0.1 (spine1)',
      '  families       ipv6-unicast',
      '  timers         hold 9 s, keepalive 3 s',
      '  policies       import -, export -',
      '  security       GTSM auto, checked; TCP MD5 off',
      '  agreed         route-refresh',
      '  only ours      link-local-next-hop',
      '  sent           OPEN 1, KEEPALIVE 20',
      '  received       OPEN 1, UPDATE 4',
    ]);
  });

  it('tells first why one is not up, and what to do', () => {
    expect(renderNeighbor({ ...UNHEARD, retryInMs: 4000 }, plainPaint).slice(0, 7)).toEqual([
      'to-spine2  nobody heard yet',
      '  state          idle',
      '  why            nobody is heard',
      '  attempts       0, of which 0 came up; the next one in 4s',
      '  last down      never',
      '  prefixes       0 received, 0 accepted, 0 advertised',
      '  next           send router advertisements',
    ]);
  });

  it('says a reason once, and keeps within the screen', () => {
    const why =
      'no common address family: the neighbour carries ipv4-unicast, we ipv6-unicast; we sent OPEN Message Error/Unsupported ' +
      'Capability (2/7): multiprotocol';
    const lastDown = { kind: 'notification-sent' as const, code: 2, subcode: 7, message: why, agoMs: 900 };
    const next = 'activate a family at both ends: families here, address-family at the neighbour';
    const bare = { holdTime: null, keepaliveTime: null, families: [], uptimeMs: null, capabilities: [] };
    const lines = renderNeighbor({ ...NEIGHBOR, ...bare, state: 'idle', why, next, lastDown }, plainPaint, 80);
    expect(lines.slice(1, 9)).toEqual([
      '  state          idle',
      '  why            no common address family: the neighbour carries ipv4-unicast,',
      '                 we ipv6-unicast; we sent OPEN Message Error/Unsupported',
      '                 Capability (2/7): multiprotocol',
      '  attempts       2, of which 1 came up',
      '  last down      0.9s ago: see why',
      '  prefixes       5 received, 4 accepted, 8 advertised',
      '  next           activate a family at both ends: families here, address-family',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.length).toBeLessThanOrEqual(24);
  });

  it('tells what became of the routes that do not flow', () => {
    const neighbor: Neighbor = {
      ...NEIGHBOR,
      hidden: [
        { reason: 'our own AS is in the AS path', count: 3 },
        { reason: 'no usable next hop', count: 1 },
      ],
      withheld: [{ reason: 'it came from this neighbour', count: 4 }],
      stale: { paths: 2, longLived: true, forMs: 90_000 },
      tablePending: ['ipv6-unicast'],
      malformed: 1,
    };
    expect(renderNeighbor(neighbor, plainPaint).slice(4, 11)).toEqual([
      '  prefixes       5 received, 4 accepted, 8 advertised',
      '  not used       3: our own AS is in the AS path',
      '                 1: no usable next hop',
      '  not told       4: it came from this neighbour',
      '  stale          2 paths kept for 1m30s, as the last choice (long-lived)',
      '  to come        End-of-RIB of ipv6-unicast',
      '  faulty         1 UPDATE (RFC 7606)',
    ]);
  });
});

const ROUTE: RouteSummary = {
  prefix: 'fc00:2:1:1::/64',
  family: 'ipv6-unicast',
  colour: 1,
  origin: 65102,
  decidedBy: 'aigp',
  fib: 'installed',
  preferred: ['to-spine1'],
  fallback: ['to-spine2', 'to-spine3'],
  asPath: '65001 65102',
  aigp: '1',
  paths: 3,
  local: false,
};

it('renderRoutes', async () => {
  const rendered = async (...pieces: readonly (readonly RouteSummary[])[]) => {
    const lines: string[] = [];
    for await (const some of renderRoutes(Readable.from(pieces), plainPaint)) lines.push(...some);
    return lines;
  };
  const local: RouteSummary = {
    ...ROUTE,
    prefix: '192.0.2.0/24',
    colour: null,
    decidedBy: null,
    fib: 'none',
    preferred: [],
    fallback: [],
    asPath: '',
    aigp: null,
    local: true,
  };
  const failed: RouteSummary = { ...ROUTE, prefix: 'fc00:2:1:2::/64', fib: 'failed' };
  const pending: RouteSummary = { ...ROUTE, prefix: 'fc00:2:1:3::/64', fib: 'pending' };
  const lines = await rendered([ROUTE, failed, pending, local]);
  expect(lines).toEqual([
    ROUTE_LEGEND,
    '',
    '   PREFIX           COLOUR   PREFERRED  BEHIND  AIGP  AS PATH      DECIDED BY',
    '>  fc00:2:1:1::/64  1 green  to-spine1       2     1  65001 65102  aigp',
    '!  fc00:2:1:2::/64  1 green  to-spine1       2     1  65001 65102  aigp',
    '.  fc00:2:1:3::/64  1 green  to-spine1       2     1  65001 65102  aigp',
    '   192.0.2.0/24     -        local           0     -  -            -',
  ]);
  expect(await rendered([ROUTE, failed], [pending, local])).toEqual(lines);
  expect(await rendered()).toEqual(['no route']);
});

it('renderFib', () => {
  const entry: FibEntry = {
    prefix: 'fc00:2:1:1::/64',
    family: 'ipv6-unicast',
    colour: 1,
    state: 'installed',
    error: null,
    primary: [{ interface: 'to-spine1', gateway: 'fe80::1' }],
    primaryGroup: 1,
    fallback: [
      { interface: 'to-spine2', gateway: 'fe80::2' },
      { interface: 'to-spine3', gateway: 'fe80::3' },
    ],
    fallbackGroup: 2,
  };
  const failed: FibEntry = { ...entry, state: 'failed', error: 'ENODEV: no such device', fallback: [], colour: null };
  expect(renderFib([entry, failed], [], plainPaint)).toEqual([
    'PREFIX           COLOUR   STATE      METRIC 20  METRIC 30',
    'fc00:2:1:1::/64  1 green  installed  to-spine1  to-spine2 to-spine3',
    'fc00:2:1:1::/64  -        failed     to-spine1  -',
    '    ENODEV: no such device',
  ]);
  expect(renderFib([], [], plainPaint)).toEqual(['no route is meant for the kernel']);
});

it('renderInterfaces', () => {
  const ready: Interface = {
    name: 'to-spine1',
    kind: 'fabric',
    colour: 1,
    index: 2,
    adminUp: true,
    carrier: true,
    usable: true,
    reason: null,
    mac: '02:00:00:00:00:01',
    mtu: 9000,
    linkLocal: 'fe80::1',
    addresses: [],
    neighbors: ['fe80::2'],
  };
  const down = { ...ready, usable: false, carrier: false, reason: 'no carrier', linkLocal: null, neighbors: [] };
  const lines = renderInterfaces(
    [
      ready,
      { ...down, name: 'to-spine2' },
      { ...down, name: 'to-spine3', carrier: true, reason: 'the link-local address is tentative' },
      { ...down, name: 'to-spine4', adminUp: false, reason: 'administratively down' },
      { ...down, name: 'to-spine5', index: null, mtu: null, reason: 'no such interface' },
      { ...ready, name: 'to-gpu1', kind: 'host', colour: null, addresses: ['fc00:1:1:1::1/64', '10.0.0.1/24'] },
    ],
    plainPaint,
  );
  expect(lines).toEqual([
    'INTERFACE  KIND    COLOUR   STATE        MTU  LINK-LOCAL  HEARD',
    'to-spine1  fabric  1 green  ready       9000  fe80::1         1',
    'to-spine2  fabric  1 green  no carrier  9000  -               0',
    'to-spine3  fabric  1 green  not ready   9000  -               0',
    '    the link-local address is tentative',
    'to-spine4  fabric  1 green  admin down  9000  -               0',
    '    administratively down',
    'to-spine5  fabric  1 green  missing        -  -               0',
    '    no such interface',
    'to-gpu1    host    -        ready       9000  fe80::1         -',
    '    fc00:1:1:1::1/64 10.0.0.1/24',
  ]);
  expect(renderInterfaces([], plainPaint)).toEqual(['no interface is configured']);
});

it('renderFibDifferences', () => {
  const same = { routes: 4, groups: 2, nextHops: 2 };
  expect(renderFibDifferences({ same, differences: [] }, plainPaint)).toEqual([
    'the kernel has what is wanted: 4 routes, 2 groups, 2 next hops',
  ]);
  const hop = { interface: 'to-spine1', gateway: 'fe80::1' };
  const nothing = { prefix: null, metric: null, id: null, wanted: null, kernel: null, foreign: null, advice: null };
  const differences: FibDifference[] = [
    {
      ...{ ...nothing, object: 'group', id: 7, wanted: [hop, { ...hop, interface: 'to-spine2', weight: 3 }] },
      ...{ kernel: [hop], cause: 'other', why: 'other members', inFlight: false },
    },
    {
      ...{ ...nothing, object: 'route', prefix: 'fc00::/64', metric: 20, wanted: [hop], inFlight: false },
      ...{ foreign: { protocol: 4, interfaces: ['eth0'] }, advice: 'delete it' },
      ...{ cause: 'foreign-in-the-way', why: 'a foreign route is in the way' },
    },
    { ...nothing, object: 'next-hop', id: 9, kernel: [hop], cause: 'waiting', why: 'in flight', inFlight: true },
  ];
  expect(renderFibDifferences({ same, differences }, plainPaint)).toEqual([
    'OBJECT               WANTED                 IN THE KERNEL                  WHY',
    'group 7              to-spine1 to-spine2*3  to-spine1 fe80::1              other members',
    'fc00::/64 metric 20  to-spine1 fe80::1      route of protocol 4 over eth0  a foreign route is in the way',
    '    delete it',
    'next-hop 9           -                      to-spine1 fe80::1              in flight',
    '',
    '3 differences, 1 of them in flight; as wanted: 4 routes, 2 groups, 2 next hops',
  ]);
});
