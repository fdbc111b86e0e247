/** Session mode in the tables: routes of another colour are hidden, and each colour's sessions are told the best path of it. */
import { describe, expect, it } from 'vitest';
import { originatedAttributes } from '../policy/dpf-policy.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import { AdjRibOut } from './adj-rib-out.js';
import { pathReason } from './path-reason.js';
import {
  attributesFrom,
  feed,
  LOCAL_AS,
  member,
  Neighbour,
  peerInfo,
  prefix,
  selectionOf,
  settle,
} from './rib.fixture.js';
import { Rib } from './rib.js';

const P = '2001:db8:1::/64';
const coloured = (colour: number, aigp?: bigint) => ({
  extendedCommunities: [colourCommunity(colour)],
  ...(aigp === undefined ? {} : { aigp: { metric: aigp, otherTlvs: [] } }),
});

/** A spine with two links to one leaf (colours 1 and 2) and two to another, whose sessions listen. */
function spine() {
  const rib = new Rib({ localAs: LOCAL_AS });
  const options = { localAs: LOCAL_AS, role: 'spine' as const, aigpOrigin: 0n, aigpStep: 1n, sessionColours: true };
  const out = new AdjRibOut(rib, options);
  rib.addSink(out);
  const sources = [1, 2].map((colour) => rib.addPeer(peerInfo(colour, { colour, sessionColours: true })));
  const listeners = [1, 2, undefined].map((colour, index) => {
    const neighbour = new Neighbour();
    const peer = rib.addPeer(peerInfo(10 + index, { sessionColours: true, ...(colour && { colour }) }));
    const session = member({
      peer,
      nextHop: { linkLocal: Uint8Array.from([0xfe, 0x80, ...new Uint8Array(13), 10 + index]) },
      ...(colour && { colour }),
      send: (bytes) => {
        neighbour.take(bytes);
        return true;
      },
    });
    out.join(session);
    return neighbour;
  });
  const announce = (colour: number, aigp?: bigint) =>
    feed(rib, sources[colour - 1]!, { announce: [P], attributes: attributesFrom(1, coloured(colour, aigp)) });
  const flush = () => {
    settle(rib);
    while (out.pump(() => false));
  };
  const told = () =>
    listeners.map(({ routes }) => {
      const held = routes.get(P)?.attributes;
      return held && [held.extendedCommunities?.[0]?.value[5], held.aigp?.metric];
    });
  return { rib, sources, announce, flush, told };
}

describe('session colours in the RIB', () => {
  it('hide a route of another colour, and say so; routes of the colour or of none are used', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const peer = rib.addPeer(peerInfo(1, { colour: 1, sessionColours: true }));
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, coloured(2)) });
    settle(rib);
    const [path] = rib.explain(rib.find(prefix(P))!).paths;
    expect(path?.status).toBe('hidden');
    expect(pathReason(path!)).toBe('colour 2 on a session of colour 1');
    expect(selectionOf(rib, P)?.best).toBeUndefined();
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, coloured(1)) });
    feed(rib, peer, { announce: ['2001:db8:2::/64'], attributes: attributesFrom(1) });
    settle(rib);
    expect(selectionOf(rib, P)?.best).toBeDefined();
    expect(selectionOf(rib, '2001:db8:2::/64')?.best).toBeDefined();
  });

  it('hide nothing in policy mode, nor on a session without a colour', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    for (const info of [peerInfo(1, { colour: 1 }), peerInfo(2, { sessionColours: true })])
      feed(rib, rib.addPeer(info), { announce: [P], attributes: attributesFrom(info.identifier, coloured(2)) });
    settle(rib);
    expect(rib.explain(rib.find(prefix(P))!).paths.map(({ status }) => status)).not.toContain('hidden');
  });
});

describe('session colours in the Adj-RIB-Out of a spine', () => {
  it('carry the path of each colour on the sessions of that colour, whichever is the best', () => {
    const { announce, flush, told } = spine();
    announce(1, 0n);
    announce(2);
    flush();
    expect(told()).toEqual([
      [1, 1n],
      [2, undefined],
      [1, 1n],
    ]);
  });

  it('withdraw and replace the path of one colour without a change of the best path', () => {
    const { rib, sources, announce, flush, told } = spine();
    announce(1, 0n);
    flush();
    expect(told()).toEqual([[1, 1n], undefined, [1, 1n]]);
    announce(2);
    flush();
    feed(rib, sources[1]!, { withdraw: [P] });
    flush();
    expect(told()).toEqual([[1, 1n], undefined, [1, 1n]]);
  });

  it('leave the other colour in place when the session of the best path dies', () => {
    const { rib, sources, announce, flush, told } = spine();
    announce(1, 0n);
    announce(2);
    flush();
    rib.removePeers([sources[0]!]);
    flush();
    expect(told()).toEqual([undefined, [2, undefined], [2, undefined]]);
  });

  it('keep sets of attributes apart that differ only in backup colours', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    rib.originate(prefix(P), originatedAttributes(1, [2]));
    rib.originate(prefix('2001:db8:2::/64'), originatedAttributes(1, [3]));
    settle(rib);
    expect(rib.totals().attributes).toBe(2);
    expect(selectionOf(rib, P)?.best?.attributes.backupColours).toEqual([2]);
  });
});
