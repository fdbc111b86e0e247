/** The RIB against a model that keeps every path as an object and decides by filtering lists (RFC 4271 section 9.1.2.2). */

import { expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { compareBytes, formatAddress, parseAddress } from '../net/address.js';
import { formatPrefix } from '../net/prefix.js';
import type { Aigp, PathAttributes } from '../wire/bgp/path-attributes.js';
import { GivenReachability } from './reachability.fixture.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { RibPeerInfo, Selection } from './types.js';

const PREFIXES = ['2001:db8:1::/64', '2001:db8:2::/64', '10.0.0.0/8', '10.0.0.0/9'];
/** Twins share a router identifier; two peers are internal; two share a link; the next hops of the last three are looked up. */
const PEERS: readonly RibPeerInfo[] = [
  peerInfo(1),
  peerInfo(2),
  peerInfo(3, { identifier: 2 }),
  peerInfo(4, { identifier: 2, address: parseAddress('fe80::3')! }),
  peerInfo(5, { external: false, nextHops: 'anywhere' }),
  peerInfo(6, { nextHops: 'subnet' }),
  peerInfo(7, { external: false, nextHops: 'anywhere' }),
  peerInfo(8, { interfaceIndex: 1 }),
];
/** Ways to a next hop: two of them share one, and one is the first peer's link. */
const WAYS = [undefined, 'link eth9', '1 fe80::1%eth1', '3 fe80::77%eth7 fe80::78%eth8', '3 fe80::78%eth8'] as const;
const LOOKED_UP = ['2001:db8:a::5', '2001:db8:a::6', '2001:db8:a::7', '2001:db8:a::99'] as const;
type Ways = ReadonlyMap<string, (typeof WAYS)[number]>;

interface ModelPath {
  readonly info: RibPeerInfo | undefined;
  readonly attributes: PathAttributes;
}

const aigpArb: fc.Arbitrary<Aigp | undefined> = fc
  .constantFrom(undefined, 0n, 1n, 2n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n)
  .map((metric) => (metric === undefined ? undefined : { metric, otherTlvs: [] }));

const pathArb = fc.record({
  aigp: aigpArb,
  med: fc.constantFrom(undefined, 0, 5),
  origin: fc.constantFrom(0 as const, 2 as const),
  firstAs: fc.constantFrom(65001, 65002),
  rest: fc.constantFrom([66000], [66001], [66000, 66002], [LOCAL_AS]),
  localPref: fc.constantFrom(100, 200),
  originatorId: fc.constantFrom(undefined, 1, 9),
  clusters: fc.constantFrom([], [11], [11, 12]),
  nextHop: fc.constantFrom('own', 'shared', 'elsewhere'),
});
type PathChoice = typeof pathArb extends fc.Arbitrary<infer T> ? T : never;

function attributesOf(info: RibPeerInfo, choice: PathChoice): PathAttributes {
  const { aigp, med, origin, firstAs, rest, localPref, nextHop, originatorId, clusters } = choice;
  const isRouted = info.nextHops !== undefined;
  const lookedUp = (last: number | string) => ({ global: parseAddress(`2001:db8:a::${last}`)! });
  const hops: Record<string, PathAttributes['nextHop']> = {
    own: isRouted ? lookedUp(info.identifier) : { linkLocal: info.address },
    shared: isRouted ? lookedUp(99) : { linkLocal: parseAddress('fe80::99')! },
    elsewhere: { global: parseAddress('2001:db8::9')! },
  };
  return attributesFrom(1, {
    origin,
    asPath: [{ kind: 'sequence', asns: [firstAs, ...rest] }],
    nextHop: hops[nextHop]!,
    ...(aigp && { aigp }),
    ...(med !== undefined && { med }),
    ...(!info.external && { localPref }),
    ...(!info.external && originatorId !== undefined && { originatorId }),
    ...(!info.external && clusters.length > 0 && { clusterList: clusters }),
  });
}

const prefixArb = fc.uniqueArray(fc.constantFrom(...PREFIXES), { minLength: 1 });
const peerArb = fc.nat(PEERS.length - 1);
const commandArb = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('announce'), peer: peerArb, prefixes: prefixArb, path: pathArb }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('withdraw'), peer: peerArb, prefixes: prefixArb }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('down'), peers: fc.uniqueArray(peerArb, { minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('originate', 'withdraw-local'), prefixes: prefixArb }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reach'),
      address: fc.constantFrom(...LOOKED_UP),
      way: fc.constantFrom(...WAYS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('slice') }) },
);
interface Command {
  readonly kind: string;
  readonly peer?: number;
  readonly peers?: readonly number[];
  readonly prefixes?: readonly string[];
  readonly path?: PathChoice;
  readonly address?: string;
  readonly way?: (typeof WAYS)[number];
}

const hasLoop = ({ attributes }: ModelPath) => attributes.asPath.some(({ asns }) => asns.includes(LOCAL_AS));
/** `COST WAY...`, `undefined` where no packet can go. */
function wayOf({ info, attributes }: ModelPath, ways: Ways): string | undefined {
  if (!info) return '0 local';
  const { global, linkLocal } = attributes.nextHop!;
  if (!info.nextHops) return linkLocal && `0 ${formatAddress(linkLocal)}%eth${info.interfaceIndex}`;
  const way = global && ways.get(formatAddress(global));
  if (!way || (info.nextHops === 'subnet' && !way.startsWith('link'))) return undefined;
  return way.replace('link ', `0 ${formatAddress(global)}%`);
}

function lowest<T>(paths: readonly T[], key: (path: T) => bigint): readonly T[] {
  if (paths.length === 0) return paths;
  let least = key(paths[0]!);
  for (const path of paths) if (key(path) < least) least = key(path);
  return paths.filter((path) => key(path) === least);
}

function modelSelect(paths: readonly ModelPath[], ways: Ways, withAigp: boolean): readonly ModelPath[] {
  const cost = (path: ModelPath) => BigInt(wayOf(path, ways)!.split(' ')[0]!);
  let left = lowest(paths, ({ info }) => (info ? 1n : 0n));
  left = lowest(left, ({ attributes }) => -BigInt(attributes.localPref ?? 100));
  if (withAigp && left.some(({ attributes }) => attributes.aigp)) {
    left = left.filter(({ attributes }) => attributes.aigp);
    left = lowest(left, (path) => path.attributes.aigp!.metric + cost(path));
  }
  left = lowest(left, ({ attributes }) => BigInt(attributes.asPath.flatMap(({ asns }) => asns).length));
  left = lowest(left, ({ attributes }) => BigInt(attributes.origin));
  const med = ({ attributes }: ModelPath) => attributes.med ?? 0;
  const first = ({ attributes }: ModelPath) => attributes.asPath[0]?.asns[0];
  left = left.filter((a) => !left.some((b) => first(a) === first(b) && med(b) < med(a)));
  left = lowest(left, ({ info }) => (info?.external ? 0n : 1n));
  return lowest(left, cost);
}

function modelDecision(all: readonly ModelPath[], ways: Ways) {
  const eligible = all.filter((path) => !path.info || (!hasLoop(path) && wayOf(path, ways) !== undefined));
  const primary = modelSelect(eligible, ways, true);
  const [best] = [...primary].sort(
    (a, b) =>
      originator(a) - originator(b) ||
      (a.attributes.clusterList?.length ?? 0) - (b.attributes.clusterList?.length ?? 0) ||
      compareBytes(a.info!.address, b.info!.address) ||
      a.info!.interfaceIndex - b.info!.interfaceIndex,
  );
  const gateways = (path: ModelPath) => wayOf(path, ways)!.split(' ').slice(1);
  const taken = new Set(primary.flatMap(gateways));
  const isSpare = (path: ModelPath) => !primary.includes(path) && !gateways(path).some((gateway) => taken.has(gateway));
  return { best, primary, fallback: modelSelect(best?.info ? eligible.filter(isSpare) : [], ways, false) };
}

/** RFC 4456 section 9. */
const originator = ({ info, attributes }: ModelPath) => attributes.originatorId ?? info?.identifier ?? 0;
const name = ({ info }: ModelPath) => info?.name ?? 'local';
const sorted = (names: readonly string[]) => [...names].sort();

it('selects what the model selects, after any history', () => {
  fc.assert(
    fc.property(fc.array(commandArb, { maxLength: 60 }), (commands: readonly Command[]) => {
      const reachability = new GivenReachability();
      const ways = new Map<string, (typeof WAYS)[number]>();
      const rib = new Rib({ localAs: LOCAL_AS, reachability });
      const indexes = PEERS.map((info) => rib.addPeer(info));
      const model = new Map(PREFIXES.map((text) => [text, new Map<string, ModelPath>()]));
      const told = new Map<string, Selection>();
      rib.addSink({
        prefixesChanged: (ids, count) => {
          for (const id of ids.subarray(0, count)) told.set(formatPrefix(rib.prefixOf(id)), rib.selection(id));
        },
      });
      for (const { kind, peer = 0, peers = [], prefixes = [], path, address = '', way } of commands) {
        const info = PEERS[peer]!;
        if (kind === 'announce' && path) {
          const attributes = attributesOf(info, path);
          feed(rib, indexes[peer]!, { announce: prefixes, attributes });
          for (const text of prefixes) model.get(text)!.set(info.name, { info, attributes });
        } else if (kind === 'withdraw') {
          feed(rib, indexes[peer]!, { withdraw: prefixes });
          for (const text of prefixes) model.get(text)!.delete(info.name);
        } else if (kind === 'down') {
          rib.removePeers(peers.map((dead) => indexes[dead]!));
          for (const dead of peers) {
            indexes[dead] = rib.addPeer(PEERS[dead]!);
            for (const paths of model.values()) paths.delete(PEERS[dead]!.name);
          }
        } else if (kind === 'originate') {
          const attributes: PathAttributes = { origin: 0, asPath: [] };
          for (const text of prefixes) {
            rib.originate(prefix(text), attributes);
            model.get(text)!.set('local', { info: undefined, attributes });
          }
        } else if (kind === 'withdraw-local') {
          for (const text of prefixes) {
            rib.withdrawLocal(prefix(text));
            model.get(text)!.delete('local');
          }
        } else if (kind === 'reach') {
          reachability.set(address, way);
          ways.set(address, way);
          rib.reachabilityChanged();
        } else rib.decide(() => true);
      }
      settle(rib);

      for (const [text, paths] of model) {
        const expected = modelDecision([...paths.values()], ways);
        const id = rib.find(prefix(text));
        expect(id === undefined).toBe(paths.size === 0);
        const seen = told.get(text);
        expect(seen?.best?.peerName).toBe(expected.best && name(expected.best));
        expect(sorted((seen?.primary ?? []).map(({ peerName }) => peerName))).toEqual(
          sorted(expected.primary.map(name)),
        );
        expect(sorted((seen?.fallback ?? []).map(({ peerName }) => peerName))).toEqual(
          sorted(expected.fallback.map(name)),
        );
        // What the sinks heard last is what is selected now; only the step may have changed since.
        if (id !== undefined && seen) expect({ ...rib.selection(id), decidedBy: seen.decidedBy }).toEqual(seen);
        if (id !== undefined) {
          const shown = rib.explain(id).paths;
          expect(shown).toHaveLength(paths.size);
          for (const { peerName, attributes } of shown) expect(attributes).toEqual(paths.get(peerName)!.attributes);
        }
      }
      const all = [...model.values()].flatMap((paths) => [...paths.values()]);
      expect(rib.totals()).toMatchObject({ paths: all.length, undecided: 0 });
      for (const [i, info] of PEERS.entries())
        expect(rib.counters(indexes[i]!).paths).toBe(all.filter((path) => path.info === info).length);
    }),
    { numRuns: 150 },
  );
});
