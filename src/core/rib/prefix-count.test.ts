/** What a prefix limit looks at (RFC 4271 section 6.7): prefixes, with several paths each or one, fresh or not. */

import { expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { FAMILIES, type Family } from '../net/family.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, settle } from './rib.fixture.js';
import { Rib } from './rib.js';

const V6 = ['fc00:1::/64', 'fc00:2::/64', 'fc00:3::/64'] as const;
const V4 = ['192.0.2.0/25', '192.0.2.128/25'] as const;
const CONTEXT = { fourOctetAs: true, addPath: FAMILIES, externalPeer: true, aigp: true };
const isIpv4 = (text: string) => text.includes('.');

function stage() {
  const rib = new Rib({ localAs: LOCAL_AS });
  const info = peerInfo(1, { context: CONTEXT });
  const peer = rib.addPeer(info);
  const announce = (texts: readonly string[], pathId: number) =>
    feed(rib, peer, { announce: texts, attributes: attributesFrom(1), pathId });
  const counts = () => FAMILIES.map((family) => rib.prefixCount(peer, family));
  const settled = () => {
    settle(rib);
    return counts();
  };
  return { rib, peer, info, announce, counts, settled };
}

const ofFamilies = (ipv6: number, ipv4: number) => FAMILIES.map((family) => (family === 'ipv6-unicast' ? ipv6 : ipv4));

it('a prefix with several paths is one prefix', () => {
  const { rib, peer, announce, counts } = stage();
  for (const pathId of [1, 2, 0]) announce([...V6, V4[0]], pathId);
  expect(counts()).toEqual(ofFamilies(3, 1));
  feed(rib, peer, { withdraw: [V6[0]], pathId: 1 });
  expect(counts()).toEqual(ofFamilies(3, 1));
  for (const pathId of [0, 2]) feed(rib, peer, { withdraw: [V6[0]], pathId });
  expect(counts()).toEqual(ofFamilies(2, 1));
});

it('a neighbour that restarted counts by what it says again, under whichever identifiers, before and after End-of-RIB', () => {
  const { rib, peer, info, announce, counts, settled } = stage();
  announce([...V6, ...V4], 1);
  rib.retainPeer(peer, FAMILIES);
  rib.returnPeer(peer, info);
  expect(counts()).toEqual([0, 0]);
  announce(V6, 7);
  announce(['fc00:9::/64'], 7);
  announce(V4, 1);
  expect(counts()).toEqual(ofFamilies(4, 2));
  rib.removeStale(peer, 'ipv6-unicast');
  expect(counts()).toEqual(ofFamilies(4, 2));
  expect(settled()).toEqual(ofFamilies(4, 2));
  expect(rib.counters(peer).paths).toBe(6);
});

it('a refresh makes no room for more: what was announced before it counts until it ends', () => {
  const { rib, peer, announce, settled } = stage();
  announce([V6[0]], 1);
  rib.markStale(peer, 'ipv6-unicast');
  announce([V6[1]], 1);
  rib.markStale(peer, 'ipv6-unicast');
  announce([V6[2]], 1);
  expect(settled()).toEqual(ofFamilies(3, 0));
  rib.removeStale(peer, 'ipv6-unicast');
  expect(settled()).toEqual(ofFamilies(1, 0));
});

interface Step {
  readonly kind: 'announce' | 'withdraw' | 'restart' | 'refresh' | 'end' | 'slice';
  readonly prefix: string;
  readonly pathId: number;
  readonly family: Family;
}

/** Paths by `prefix#id`, true for a fresh one. */
class Model {
  readonly paths = new Map<string, boolean>();
  readonly restarted = new Set<Family>();
  private readonly stale = new Set<Family>();

  apply({ kind, prefix, pathId, family }: Step): void {
    const key = `${prefix}#${pathId}`;
    if (kind === 'announce') this.paths.set(key, true);
    else if (kind === 'withdraw') this.paths.delete(key);
    else if (kind === 'end') this.end(family);
    else if (kind === 'refresh') this.mark(family);
    else if (kind === 'restart') {
      for (const each of FAMILIES) if (this.stale.has(each)) this.end(each);
      for (const each of FAMILIES) this.mark(each);
      for (const each of FAMILIES) this.restarted.add(each);
    }
  }

  count(family: Family): number {
    const counted = [...this.paths].filter(
      ([key, fresh]) => this.isOf(key, family) && (fresh || !this.restarted.has(family)),
    );
    return new Set(counted.map(([key]) => key.split('#')[0])).size;
  }

  private mark(family: Family): void {
    this.restarted.delete(family);
    this.stale.add(family);
    for (const key of this.paths.keys()) if (this.isOf(key, family)) this.paths.set(key, false);
  }

  private end(family: Family): void {
    if (!this.stale.delete(family)) return;
    this.restarted.delete(family);
    for (const [key, fresh] of this.paths) if (this.isOf(key, family) && !fresh) this.paths.delete(key);
  }

  private isOf(key: string, family: Family): boolean {
    return isIpv4(key) === (family === 'ipv4-unicast');
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('announce', 'announce', 'announce', 'withdraw', 'restart', 'refresh', 'end', 'slice'),
  prefix: fc.constantFrom(...V6, ...V4),
  pathId: fc.nat(2),
  family: fc.constantFrom(...FAMILIES),
});

it('the counts are those of a model, whatever happens in which order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { rib, peer, info, announce, counts } = stage();
      const model = new Model();
      for (const one of steps) {
        const { kind, prefix, pathId, family } = one;
        model.apply(one);
        if (kind === 'announce') announce([prefix], pathId);
        else if (kind === 'withdraw') feed(rib, peer, { withdraw: [prefix], pathId });
        else if (kind === 'refresh') rib.markStale(peer, family);
        else if (kind === 'restart') {
          rib.retainPeer(peer, FAMILIES);
          rib.returnPeer(peer, info);
        } else if (kind === 'end') {
          rib.removeStale(peer, family);
          settle(rib);
        }
        if (kind === 'slice') settle(rib);
        expect(counts()).toEqual(FAMILIES.map((each) => model.count(each)));
      }
    }),
    { numRuns: 400 },
  );
});
