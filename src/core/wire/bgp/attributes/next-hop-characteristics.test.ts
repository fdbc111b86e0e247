/** NHC with NNHN by octets, and what is wrong with damaged ones. */
import { describe, expect, it } from 'vitest';
import type { AttributesDraft } from './attribute-codec.js';
import { nextHopCharacteristics, nextNextHopNodes, nextNextHopTlv } from './next-hop-characteristics.js';

const NEXT_HOP = 'fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01';
const octets = (...parts: string[]) =>
  Uint8Array.from(parts.join(' ').trim().split(/ +/), (octet) => Number.parseInt(octet, 16));
/** IPv6 unicast, a next hop of 16 octets, NNHN: 10.0.0.1 with 10.1.0.1 and 10.1.0.2 behind it. */
const VALUE = octets('00 02 01 10', NEXT_HOP, '00 02 00 0c 0a 00 00 01 0a 01 00 01 0a 01 00 02');
const CONTEXT = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };

function decoded(value: Uint8Array) {
  const draft: AttributesDraft = {};
  const fault = nextHopCharacteristics.decode(value, draft, CONTEXT);
  return { fault, value: draft.nextHopCharacteristics };
}

const nodesOf = (...tlvs: { code: number; value: Uint8Array }[]) =>
  nextNextHopNodes({ afi: 2, safi: 1, nextHop: octets(NEXT_HOP), tlvs });

describe('next hop dependent characteristics', () => {
  it('are read, shown and written back octet by octet', () => {
    const { value } = decoded(VALUE);
    expect(value).toMatchObject({ afi: 2, safi: 1, nextHop: octets(NEXT_HOP) });
    const attributes = { origin: 0 as const, asPath: [], nextHopCharacteristics: value! };
    expect(nextHopCharacteristics.encode?.(attributes, { fourOctetAs: true })).toEqual(VALUE);
    expect(nextHopCharacteristics.format?.(attributes)).toMatchObject({
      nextHopCharacteristics: { nextNextHopNodes: { nextHop: '10.0.0.1', nodes: ['10.1.0.1', '10.1.0.2'] } },
    });
  });

  it('keep TLVs that heddle does not know, in their order', () => {
    const { value } = decoded(octets('00 01 01 04 c0 00 02 01', '00 01 00 00', '00 03 00 01 ff'));
    expect(value?.tlvs).toEqual([
      { code: 1, value: octets('').slice(0, 0) },
      { code: 3, value: octets('ff') },
    ]);
    expect(nextNextHopNodes(value!)).toBeUndefined();
  });

  it('are discarded, and the route kept, wherever they are cut off', () => {
    const whole = [VALUE.length, 20];
    for (let length = 0; length < VALUE.length; length++) {
      const { fault, value } = decoded(VALUE.slice(0, length));
      expect(fault?.action, `${length} octets`).toBe(whole.includes(length) ? undefined : 'attribute-discard');
      expect(value === undefined, `${length} octets`).toBe(!whole.includes(length));
    }
  });

  it('hold nodes only in an NNHN of at least 8 octets and a multiple of 4, and the first one counts', () => {
    const first = { code: 2, value: octets('0a 00 00 01 0a 01 00 01') };
    const second = { code: 2, value: octets('0a 00 00 02 0a 01 00 02') };
    expect(nodesOf(first, second)).toEqual({ nextHop: 0x0a000001, nodes: [0x0a010001] });
    for (const bad of ['0a 00 00 01', '0a 00 00 01 0a 01 00 01 0a', '0a 00 00'])
      expect(nodesOf({ code: 2, value: octets(bad) }, second)).toBeUndefined();
  });

  it('name each node once, in rising order', () => {
    const tlv = nextNextHopTlv({ nextHop: 1, nodes: [9, 3, 9, 0xffffffff] });
    expect(nodesOf(tlv)).toEqual({ nextHop: 1, nodes: [3, 9, 0xffffffff] });
    expect(tlv.value.length).toBe(16);
  });
});
