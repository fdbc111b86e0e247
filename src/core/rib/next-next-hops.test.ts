/** Which next-next-hop nodes of a received path count. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { nextNextHopTlv } from '../wire/bgp/attributes/next-hop-characteristics.js';
import { receivedNextNextHops } from './next-next-hops.js';
import { attributesFrom } from './rib.fixture.js';

const LOCAL = parseAddress('fe80::1')!;

function received(nextHop: Uint8Array, said: number, nodes: readonly number[] = [7]) {
  const tlvs = [nextNextHopTlv({ nextHop: said, nodes })];
  const nextHopCharacteristics = { afi: 2, safi: 1, nextHop, tlvs };
  return receivedNextNextHops(attributesFrom(1, { nextHop: { linkLocal: LOCAL }, nextHopCharacteristics }), 1);
}

describe('received next-next-hop nodes', () => {
  it('count when they are of the next hop of the route and of the peer itself, in any form of the address', () => {
    const twice = Uint8Array.from([...LOCAL, ...LOCAL]);
    const behindNothing = Uint8Array.from([...new Uint8Array(16), ...LOCAL]);
    for (const form of [LOCAL, twice, behindNothing]) expect(received(form, 1)).toEqual([7]);
  });

  it('do not count when the next hop was changed on the way, or another router than the peer said them', () => {
    expect(received(parseAddress('fe80::2')!, 1)).toBeUndefined();
    expect(received(LOCAL, 2)).toBeUndefined();
    expect(received(new Uint8Array(0), 1)).toBeUndefined();
  });

  it('are absent from a route without them', () => {
    expect(receivedNextNextHops(attributesFrom(1), 1)).toBeUndefined();
  });
});
