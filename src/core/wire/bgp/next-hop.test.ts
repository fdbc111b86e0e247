import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../net/address.js';
import { decodeNextHop, encodeNextHop } from './next-hop.js';
import { concat } from './octets.js';

const address = (text: string) => parseAddress(text)!;
const LINK_LOCAL = address('fe80::1');
const OTHER_LINK_LOCAL = address('fe80::2');
const GLOBAL = address('fd00::1');
const NONE = address('::');
const V4 = address('10.0.0.1');

describe('decodeNextHop', () => {
  const CASES = [
    { name: 'link-local alone', parts: [LINK_LOCAL], hop: { linkLocal: LINK_LOCAL } },
    { name: 'link-local twice', parts: [LINK_LOCAL, LINK_LOCAL], hop: { linkLocal: LINK_LOCAL } },
    { name: 'two link-local ones', parts: [OTHER_LINK_LOCAL, LINK_LOCAL], hop: { linkLocal: LINK_LOCAL } },
    { name: ':: and link-local', parts: [NONE, LINK_LOCAL], hop: { linkLocal: LINK_LOCAL } },
    { name: 'link-local and ::', parts: [LINK_LOCAL, NONE], hop: { linkLocal: LINK_LOCAL } },
    { name: 'global alone', parts: [GLOBAL], hop: { global: GLOBAL } },
    { name: 'global and link-local', parts: [GLOBAL, LINK_LOCAL], hop: { global: GLOBAL, linkLocal: LINK_LOCAL } },
    { name: 'global and ::', parts: [GLOBAL, NONE], hop: { global: GLOBAL } },
    { name: ':: alone', parts: [NONE], hop: {} },
    { name: ':: twice', parts: [NONE, NONE], hop: {} },
  ];

  it.each(CASES)('$name, for either family', ({ parts, hop }) => {
    expect(decodeNextHop(concat(parts), 'ipv6-unicast')).toEqual(hop);
    expect(decodeNextHop(concat(parts), 'ipv4-unicast')).toEqual(hop);
  });

  it('takes four octets for IPv4 only', () => {
    expect(decodeNextHop(V4, 'ipv4-unicast')).toEqual({ global: V4 });
    expect(decodeNextHop(V4, 'ipv6-unicast')).toBeUndefined();
  });

  it.each([0, 3, 8, 15, 17, 24, 31, 33, 48])('takes no next hop of %i octets', (length) => {
    expect(decodeNextHop(new Uint8Array(length), 'ipv6-unicast')).toBeUndefined();
  });

  it('keeps nothing of the message', () => {
    const octets = concat([GLOBAL, LINK_LOCAL]);
    const hop = decodeNextHop(octets, 'ipv6-unicast');
    octets.fill(0);
    expect(hop).toEqual({ global: GLOBAL, linkLocal: LINK_LOCAL });
  });
});

describe('encodeNextHop', () => {
  const CASES = [
    { name: 'link-local, single', hop: { linkLocal: LINK_LOCAL }, form: 'single', octets: LINK_LOCAL },
    {
      name: 'link-local, double',
      hop: { linkLocal: LINK_LOCAL },
      form: 'double',
      octets: concat([LINK_LOCAL, LINK_LOCAL]),
    },
    {
      name: 'global and link-local',
      hop: { global: GLOBAL, linkLocal: LINK_LOCAL },
      form: 'single',
      octets: concat([GLOBAL, LINK_LOCAL]),
    },
    { name: 'global', hop: { global: GLOBAL }, form: 'double', octets: GLOBAL },
    { name: 'IPv4', hop: { global: V4 }, form: 'double', octets: V4 },
    { name: 'nothing', hop: {}, form: 'double', octets: undefined },
  ] as const;

  it.each(CASES)('$name', ({ hop, form, octets }) => {
    expect(encodeNextHop(hop, form)).toEqual(octets);
  });
});
