/** What a neighbour is told of bandwidths. */
import { describe, expect, it } from 'vitest';
import { linkBandwidthCommunity, linkBandwidthOf } from '../wire/bgp/link-bandwidth.js';
import type { ExtendedCommunity } from '../wire/bgp/path-attributes.js';
import type { ExportContext } from './export-context.js';
import { exportAttributes } from './export-policy.js';

const GIGABIT = 125_000_000;
const RECEIVED = linkBandwidthCommunity(65001, GIGABIT);
const NON_TRANSITIVE: ExtendedCommunity = { ...RECEIVED, type: 0x40 };

function sent(communities: readonly ExtendedCommunity[], linkBandwidth?: number) {
  const mode = { localAs: 65002, role: 'spine' as const, external: true, sendColour: true, aigp: true };
  const context: ExportContext = { ...mode, aigpOrigin: 0n, aigpStep: 1n, ...(linkBandwidth && { linkBandwidth }) };
  const attributes = { origin: 0 as const, asPath: [], extendedCommunities: communities };
  return exportAttributes({ attributes, source: 'external' }, context)?.extendedCommunities ?? [];
}

describe('link bandwidth on export', () => {
  it('passes the transitive form on, and drops the other at the border of the AS', () => {
    expect(sent([RECEIVED])).toEqual([RECEIVED]);
    expect(sent([NON_TRANSITIVE])).toEqual([]);
  });

  it('replaces whatever came in, so that no second community of the other transitivity is appended', () => {
    const ours = linkBandwidthCommunity(65002, 4 * GIGABIT);
    for (const received of [[], [RECEIVED], [NON_TRANSITIVE], [RECEIVED, NON_TRANSITIVE]])
      expect(sent(received, 4 * GIGABIT)).toEqual([ours]);
    expect(linkBandwidthOf({ extendedCommunities: [ours] })).toBe(4 * GIGABIT);
  });
});
