/** Link bandwidth extended communities of both kinds, by octets. */
import { describe, expect, it } from 'vitest';
import { formatExtendedCommunity } from './attributes/extended-communities.js';
import { isTransitive } from './colour.js';
import { bandwidthValue, isLinkBandwidth, linkBandwidthCommunity, linkBandwidthOf } from './link-bandwidth.js';
import type { ExtendedCommunity } from './path-attributes.js';

function community(text: string): ExtendedCommunity {
  const [type = 0, subtype = 0, ...value] = text.split(' ').map((octet) => Number.parseInt(octet, 16));
  return { type, subtype, value: Uint8Array.from(value) };
}

/** AS 65001, 1.25e9 octets a second (10 Gbit/s) as IEEE float32: written out by hand, no capture stands behind it. */
const TRANSITIVE = community('00 04 fd e9 4e 95 02 f9');
const NON_TRANSITIVE = community('40 04 fd e9 4e 95 02 f9');
const of = (...extendedCommunities: ExtendedCommunity[]) => linkBandwidthOf({ extendedCommunities });

describe('the link bandwidth community', () => {
  it('is read as octets a second, in both forms', () => {
    for (const one of [TRANSITIVE, NON_TRANSITIVE]) {
      expect(isLinkBandwidth(one)).toBe(true);
      expect(bandwidthValue(one)).toBe(1_250_000_000);
    }
    expect(formatExtendedCommunity(TRANSITIVE)).toBe('bandwidth:65001:1250000000');
    expect(formatExtendedCommunity(NON_TRANSITIVE)).toBe('bandwidth-non-transitive:65001:1250000000');
  });

  it('is written in the transitive form, with AS_TRANS for an AS of four octets', () => {
    expect(linkBandwidthCommunity(65001, 1_250_000_000)).toEqual(TRANSITIVE);
    expect(linkBandwidthCommunity(4_200_000_000, 1_250_000_000).value.subarray(0, 2)).toEqual(
      Uint8Array.of(0x5b, 0xa0),
    );
  });

  it('leaves the AS in its transitive form only', () => {
    expect([TRANSITIVE, NON_TRANSITIVE].map(isTransitive)).toEqual([true, false]);
  });

  it('is known by type and sub-type together, not by one of them', () => {
    for (const text of ['00 02 fd e9 4e 95 02 f9', '03 04 fd e9 4e 95 02 f9', '43 04 fd e9 4e 95 02 f9'])
      expect(isLinkBandwidth(community(text))).toBe(false);
  });

  it('counts with the lowest value when there are several, zero included, whatever their form', () => {
    const slower = community('40 04 fd e9 4c ee 6b 28');
    expect(of(TRANSITIVE, slower)).toBe(bandwidthValue(slower));
    expect(of(slower, TRANSITIVE)).toBe(bandwidthValue(slower));
    expect(of(TRANSITIVE, community('00 04 fd e9 00 00 00 00'))).toBe(0);
  });

  it('says nothing when it is negative, infinite or no number', () => {
    for (const value of ['bf 80 00 00', '7f 80 00 00', '7f c0 00 00', 'ff 80 00 00'])
      expect(of(community(`00 04 fd e9 ${value}`)), value).toBeUndefined();
    expect(of(community('00 04 fd e9 7f c0 00 00'), TRANSITIVE)).toBe(1_250_000_000);
    expect(linkBandwidthOf({})).toBeUndefined();
  });
});
