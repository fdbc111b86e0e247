/** Weights from link bandwidths: only whole sets, in the smallest proportions, within what the kernel takes. */
import { describe, expect, it } from 'vitest';
import { linkBandwidthCommunity } from '../wire/bgp/link-bandwidth.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, selectionOf, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import { trafficShares } from './traffic-shares.js';

const GIGABIT = 125_000_000;

/** The multipath set of a prefix announced by one spine for each of the bandwidths; `undefined` announces none. */
function shares(...bandwidths: (number | undefined)[]): readonly number[] | undefined {
  const rib = new Rib({ localAs: LOCAL_AS });
  for (const [index, bandwidth] of bandwidths.entries()) {
    const communities = bandwidth === undefined ? [] : [linkBandwidthCommunity(65001, bandwidth)];
    const attributes = attributesFrom(index + 1, { extendedCommunities: communities });
    feed(rib, rib.addPeer(peerInfo(index + 1)), { announce: ['2001:db8::/64'], attributes });
  }
  settle(rib);
  const { primary } = selectionOf(rib, '2001:db8::/64')!;
  expect(primary).toHaveLength(bandwidths.length);
  const weights = trafficShares(primary);
  return (
    weights &&
    primary
      .map(({ interfaceIndex }, at) => [interfaceIndex, weights[at]!] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, weight]) => weight)
  );
}

describe('the shares of a set', () => {
  it('are the bandwidths in their smallest proportions', () => {
    expect(shares(100 * GIGABIT, 200 * GIGABIT)).toEqual([1, 2]);
    expect(shares(100 * GIGABIT, 400 * GIGABIT, 200 * GIGABIT)).toEqual([1, 4, 2]);
    expect(shares(10 * GIGABIT, 30 * GIGABIT)).toEqual([1, 3]);
    expect(shares(100 * GIGABIT, 255 * GIGABIT, 51 * GIGABIT)).toEqual([100, 255, 51]);
  });

  it('are the same proportions where an IEEE single has rounded them', () => {
    expect(shares(1e9 / 3, 1e9)).toEqual([1, 3]);
    expect(shares(1e9 / 7, 2e9 / 7, 0.1e9)).toEqual([10, 20, 7]);
  });

  it('are as near as 256 steps allow where no smaller numbers have the proportions', () => {
    expect(shares(1000 * GIGABIT, 3001 * GIGABIT)).toEqual([85, 256]);
    expect(shares(0, 10 * GIGABIT, 30 * GIGABIT)).toEqual([1, 85, 256]);
  });

  it('are equal when one path of the set has no bandwidth, or all have the same', () => {
    expect(shares(100 * GIGABIT, 200 * GIGABIT, undefined)).toBeUndefined();
    expect(shares(GIGABIT, GIGABIT, GIGABIT)).toBeUndefined();
    expect(shares(0, 0)).toBeUndefined();
    expect(shares(GIGABIT)).toBeUndefined();
  });

  it('stay between 1 and 256, however far apart the bandwidths are', () => {
    expect(shares(0, GIGABIT)).toEqual([1, 256]);
    expect(shares(1, 1e30)).toEqual([1, 256]);
  });
});
