/**
 * What neighbours are told and what is taken from them, as whole routers on virtual time: a route reflector between two routers of its
 * AS, one of which has a neighbour in another AS, as a leaf of a fabric may have.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { Policy } from '../core/policy/policy.js';
import type { SessionOptions } from '../core/policy/session-options.js';
import type { NeighbourConfig, SpeakerConfig } from '../core/speaker/config.js';
import { router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const ALL: Policy = { name: 'all', terms: [{ name: '1', match: {}, set: {}, action: 'accept' }] };
const OUTSIDE = '2001:db8:aaaa::/48';
const INSIDE = '2001:db8:bbbb::/48';
const CORE = '2001:db8:cccc::/48';
const CLUSTER = 0x0a0000ff;
const address = (text: string) => parseAddress(text)!;

function to(text: string, options: SessionOptions = {}, changes: Partial<NeighbourConfig> = {}): NeighbourConfig {
  return {
    name: text,
    address: address(text),
    acceptRemoteAs: [{ kind: 'internal' }],
    sendColour: true,
    aigp: 'internal',
    options,
    ...changes,
  };
}

const external = { acceptRemoteAs: [{ kind: 'external' as const }], importPolicy: [ALL], exportPolicy: [ALL] };
const localAs = { asn: 65009, prependReceived: true, replaceAs: false };
const client: SessionOptions = { reflectorClient: true };

const ROUTERS: readonly SpeakerConfig[] = [
  router('reflector', 65001, {
    identifier: 1,
    clusterId: CLUSTER,
    advertise: [{ prefix: parsePrefix(CORE)! }],
    neighbours: [to('2001:db8:1::2', client), to('2001:db8:2::2', client, { defaultOriginate: {} })],
  }),
  router('border', 65001, {
    role: 'leaf',
    identifier: 2,
    advertise: [{ prefix: parsePrefix(INSIDE)! }],
    neighbours: [to('2001:db8:1::1', { nextHop: 'self' }), to('2001:db8:3::2', { localAs }, external)],
  }),
  router('inner', 65001, { identifier: 3, neighbours: [to('2001:db8:2::1')] }),
  router('outside', 65100, {
    advertise: [{ prefix: parsePrefix(OUTSIDE)! }],
    neighbours: [to('2001:db8:3::1', {}, external)],
  }),
];

async function started(): Promise<VirtualFabric> {
  const fabric = new VirtualFabric(
    {
      routers: ROUTERS.map((config) => ({ name: config.name, config })),
      hosts: [],
      wires: [
        { a: { node: 'reflector', interface: 'one' }, b: { node: 'border', interface: 'up' } },
        { a: { node: 'reflector', interface: 'two' }, b: { node: 'inner', interface: 'up' } },
        { a: { node: 'border', interface: 'out' }, b: { node: 'outside', interface: 'in' } },
      ],
    },
    { seed: 3, delay: 0.01, log: () => ({ write: () => {} }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  const give = (node: string, link: string, text: string) =>
    fabric.node(node).links.byName(link)!.addAddress(address(text), 64);
  give('reflector', 'one', '2001:db8:1::1');
  give('border', 'up', '2001:db8:1::2');
  give('reflector', 'two', '2001:db8:2::1');
  give('inner', 'up', '2001:db8:2::2');
  give('border', 'out', '2001:db8:3::1');
  give('outside', 'in', '2001:db8:3::2');
  const hops = [{ interfaceIndex: 1, gateway: address('2001:db8:2::1') }];
  fabric.node('inner').reachability.put({ prefix: parsePrefix('2001:db8:1::/64')!, metric: 1, hops }, false);
  await fabric.clock.runUntil(5 * SECOND);
  return fabric;
}

function path(fabric: VirtualFabric, node: string, text: string) {
  const { rib } = fabric.node(node).speaker!.engine;
  const id = rib.find(parsePrefix(text)!);
  return id === undefined ? undefined : rib.explain(id).paths[0];
}

const asns = (fabric: VirtualFabric, node: string, text: string) =>
  path(fabric, node, text)?.attributes.asPath.flatMap((segment) => segment.asns);

async function reconfigured(fabric: VirtualFabric, name: string, change: (one: NeighbourConfig) => NeighbourConfig) {
  const { speaker } = fabric.node(name);
  const { config } = speaker!;
  const done = speaker!.reconfigure({ ...config, neighbours: config.neighbours!.map(change) });
  await fabric.clock.runUntil(fabric.clock.now() + SECOND);
  return done;
}

describe('sessions with options', () => {
  let fabric: VirtualFabric;
  beforeEach(async () => {
    fabric = await started();
  });

  it('reflect routes between clients, with originator, cluster and the next hop they had', () => {
    const reflected = path(fabric, 'inner', OUTSIDE)!;
    expect(reflected).toMatchObject({
      status: 'best',
      attributes: { originatorId: 2, clusterList: [CLUSTER], localPref: 100 },
    });
    expect(formatAddress(reflected.attributes.nextHop!.global!)).toBe('2001:db8:1::2');
  });

  it('have another AS of ours, seen on both sides', () => {
    expect(asns(fabric, 'outside', INSIDE)).toEqual([65009, 65001]);
    expect(asns(fabric, 'border', OUTSIDE)).toEqual([65009, 65100]);
    const session = fabric.node('outside').speaker!.sessions()[0]!;
    expect(session.summary().negotiated?.remoteAs).toBe(65009);
  });

  it('let a leaf tell a neighbour given by its address what others told it', () => {
    expect(asns(fabric, 'outside', CORE)).toEqual([65009, 65001]);
    expect(path(fabric, 'reflector', OUTSIDE)?.status).toBe('best');
  });

  it('are told a default route, until it is configured away, without a new session', async () => {
    expect(path(fabric, 'inner', '::/0')).toMatchObject({ status: 'best', attributes: { asPath: [] } });
    expect(path(fabric, 'border', '::/0')).toBeUndefined();
    await reconfigured(fabric, 'reflector', ({ defaultOriginate: _, ...rest }) => rest);
    expect(path(fabric, 'inner', '::/0')).toBeUndefined();
    expect(fabric.node('inner').speaker!.sessions()[0]!.summary().establishedCount).toBe(1);
  });

  it('change while they are up, and get a new session for what is agreed in its OPEN', async () => {
    const counts = () => fabric.node('outside').speaker!.sessions()[0]!.summary().establishedCount;
    await reconfigured(fabric, 'border', (one) => ({ ...one, options: { ...one.options, removePrivateAs: 'all' } }));
    expect([asns(fabric, 'outside', INSIDE), counts()]).toEqual([[65009, 65001], 1]);
    await reconfigured(fabric, 'border', (one) => (one.options?.localAs ? { ...one, options: {} } : one));
    await fabric.clock.runUntil(fabric.clock.now() + 20 * SECOND);
    expect([asns(fabric, 'outside', INSIDE), counts()]).toEqual([[65001], 2]);
    expect(asns(fabric, 'border', OUTSIDE)).toEqual([65100]);
  });
});
