/** A router and a neighbour as the control API tells of them, for tests of the API and of what is printed. */
import type { Measurements } from './measurements.js';
import type { ControlHandlers, LoadBalancing, Neighbor, PlanePrefix, Summary } from './schema.js';

export const SUMMARY: Summary = {
  apiVersion: 1,
  name: 'leaf1',
  version: '0.1.0',
  pid: 42,
  role: 'leaf',
  as: 65101,
  routerId: '10.1.0.1',
  families: ['ipv6-unicast', 'ipv4-unicast'],
  dpfMode: 'policy',
  uptimeMs: 65_000,
  neighbors: { up: 3, total: 4 },
  routes: 9,
  paths: 21,
  fib: { installed: 4, pending: 0, failed: 1, written: { nextHops: 4, groups: 5, routes: 1006 } },
  startup: { linkUpToRoutesMs: 1234, convergedAt: '2030-01-02T03:04:05.678Z', waitsFor: [] },
  monitoring: { bmp: [], mrt: null },
};

const NONE = { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 };

export const NEIGHBOR: Neighbor = {
  name: 'fe80::a8c1:abff:fe12:3456%to-spine1',
  configured: false,
  description: null,
  group: null,
  hops: null,
  passive: false,
  unoffered: [],
  options: [],
  interface: 'to-spine1',
  address: 'fe80::a8c1:abff:fe12:3456',
  localAddress: 'fe80::1',
  as: 65001,
  acceptRemoteAs: ['65001-65004'],
  policies: { import: [], export: [], missing: [] },
  routerId: '10.0.0.1',
  hostname: 'spine1',
  state: 'established',
  reason: null,
  why: null,
  next: null,
  colour: 1,
  uptimeMs: 62_000,
  hidden: null,
  withheld: null,
  stale: null,
  settling: null,
  tablePending: [],
  malformed: 0,
  lastFailure: null,
  retryInMs: null,
  prefixes: { received: 5, accepted: 4, advertised: 8 },
  security: { gtsm: 'auto', hopLimit: 255, md5: false, tcpAo: null },
  addPath: [],
  prefixLimits: [],
  hold: null,
  holdTime: 9,
  keepaliveTime: 3,
  families: ['ipv6-unicast'],
  capabilities: [
    { name: 'route-refresh', local: true, remote: true },
    { name: 'link-local-next-hop', local: true, remote: false },
  ],
  attempts: 2,
  establishedCount: 1,
  lastDown: { kind: 'link-down', code: null, subcode: null, message: 'link down', agoMs: 100_000 },
  messages: { sent: { ...NONE, open: 1, keepalive: 20 }, received: { ...NONE, open: 1, update: 4 } },
  bfd: null,
};

export const DLB: LoadBalancing = {
  mode: 'flowlet',
  plainGroups: null,
  links: [{ interface: 'to-spine1', quality: 6, capacity: 1e9, rate: 3.5e8, backlog: 0, load: 35, queue: 0 }],
  groups: [{ id: 7, moves: 1, members: [{ interface: 'to-spine1', due: 1, share: 64, packetRate: null }] }],
  plane: {
    mode: 'flowlet',
    failure: null,
    full: null,
    prefixes: 1,
    attachments: [{ interface: 'to-spine1', how: 'native' }],
    ports: [
      {
        ...{ interface: 'to-spine1', gateway: 'fe80::1', state: 'up', packets: 5, octets: 640 },
        ...{ moves: 2, reorderRisks: 1 },
      },
    ],
    leftToKernel: [{ reason: 'protocol', packets: 3 }],
  },
};

export const PLANE_PREFIX: PlanePrefix = { prefix: 'fc00:2:1:1::/64', packets: 5, octets: 640, fallbackPackets: 2 };

/** To a station and a file. */
export const MONITORING: Summary['monitoring'] = {
  bmp: [
    {
      ...{ collector: '192.0.2.9', port: 11019, routes: ['loc-rib'], connected: true },
      ...{ connections: 1, messages: 9, overruns: 2 },
    },
  ],
  mrt: { updates: '/var/log/heddle.mrt', dropped: 6 },
};

/** With something of everything. */
export const MEASUREMENTS: Measurements = {
  reload: { lastSuccessful: false, lastSuccessAt: 1_900_000_000.5 },
  restarting: true,
  links: [
    { interface: 'to-spine1', colour: 1, carrier: true, up: true, reason: null },
    { interface: 'to-spine2', colour: null, carrier: false, up: false, reason: 'no-carrier' },
  ],
  neighbors: [
    {
      ...{ name: NEIGHBOR.name, interface: 'to-spine1', up: true, reason: null, uptime: 62, establishedCount: 1 },
      ...{ prefixes: NEIGHBOR.prefixes, messages: NEIGHBOR.messages, announced: 7, withdrawn: 2, malformed: 1 },
      limits: [{ family: 'ipv6-unicast', limit: 10, received: 5 }],
      ...{ stale: 3, settling: true, bfd: { up: true, failures: 4 } },
    },
    {
      ...{ name: '2001:db8::1', interface: '', up: false, reason: 'hold-timer-expired', uptime: null },
      ...{ prefixes: { received: 0, accepted: 0, advertised: 0 }, messages: NEIGHBOR.messages, establishedCount: 2 },
      ...{ announced: 0, withdrawn: 0, malformed: 0, limits: [], stale: 0, settling: false, bfd: null },
    },
  ],
  drops: new Map([
    ['hold-timer-expired', 1],
    ['link-down', 0],
  ]),
  keepaliveLateness: {
    buckets: [
      { bound: 0.01, count: 5 },
      { bound: 1, count: 2 },
      { bound: Number.POSITIVE_INFINITY, count: 1 },
    ],
    sum: 3.5,
  },
  selectionChanges: 12,
  colours: [{ colour: 1, prefixes: 4, onFallback: 1 }],
  fib: { outsideChanges: new Map([['route-deleted', 1]]), refusals: 2, resyncs: 3, foreign: 1 },
  process: {
    ...{ startedAt: 1_900_000_000, cpu: { user: 1.5, system: 0.5 }, residentBytes: 90e6, virtualBytes: 900e6 },
    ...{ heapUsedBytes: 30e6, heapTotalBytes: 40e6, externalBytes: 5e6, openDescriptors: 40, maxDescriptors: 1024 },
    loopDelay: { mean: 0.001, p50: 0.0005, p99: 0.01, max: 0.02 },
  },
};

/** The router and the neighbour, and nothing that is long. */
export const HANDLERS: ControlHandlers = {
  summary: () => SUMMARY,
  neighbors: () => [NEIGHBOR],
  neighbor: () => [NEIGHBOR],
  routes: () => [],
  route: () => undefined,
  fib: () => [],
  fibNotes: () => [],
  fibDifferences: async () => ({ same: { routes: 0, groups: 0, nextHops: 0 }, differences: [] }),
  fabric: () => ({ uplinks: [], rows: [] }),
  dlb: () => DLB,
  planePrefixes: () => [PLANE_PREFIX],
  interfaces: () => [],
  measurements: () => MEASUREMENTS,
  watch: () => () => undefined,
  mrt: () => [],
};
