/** `link-bandwidth`, for all interfaces and for one, and `next-next-hop`. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const HEAD = 'name: spine1\nrole: spine\nas: 65001\n';

function speaker(text: string) {
  const parsed = parseConfig(HEAD + text);
  if (parsed.config) return parsed.config.speaker;
  throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
}

const bandwidths = (text: string) => speaker(text).fabric.map(({ linkBandwidth }) => linkBandwidth);

describe('link-bandwidth', () => {
  it('is advertised on no interface and used by default', () => {
    const { fabric, useLinkBandwidth } = speaker('fabric: { to-a: }\n');
    expect([fabric[0]?.linkBandwidth, useLinkBandwidth]).toEqual([undefined, undefined]);
  });

  it('is one for all interfaces, but for those that say another', () => {
    const fabric = 'fabric: { to-a: {}, to-b: { link-bandwidth: 1.25e9 }, to-c: }\n';
    expect(bandwidths(`${fabric}link-bandwidth: { advertise: auto }\n`)).toEqual(['auto', 1.25e9, 'auto']);
    expect(bandwidths(fabric)).toEqual([undefined, 1.25e9, undefined]);
  });

  it('is not used with use: false', () => {
    expect(speaker('fabric: { to-a: }\nlink-bandwidth: { use: false }\n').useLinkBandwidth).toBe(false);
  });

  it.each(['0', '-1', 'fast', '1e39'])('is not %s', (value) => {
    expect(() => speaker(`fabric: { to-a: { link-bandwidth: ${value} } }\n`)).toThrow(
      'fabric.to-a.link-bandwidth: expected auto, or octets a second above zero',
    );
  });
});

describe('next-next-hop', () => {
  it('is off unless it is switched on', () => {
    expect(speaker('fabric: { to-a: }\n').nextNextHop).toBeUndefined();
    expect(speaker('fabric: { to-a: }\nnext-next-hop: true\n').nextNextHop).toBe(true);
  });
});
