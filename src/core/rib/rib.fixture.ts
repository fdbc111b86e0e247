/** Shared by the tests of this folder: peers, UPDATE bodies, and a receiver that remembers what it was told. */
import { formatAddress, parseAddress } from '../net/address.js';
import type { Family } from '../net/family.js';
import { FAMILIES, familyOfAddress } from '../net/family.js';
import { formatPrefix, masked, type Prefix, parsePrefix } from '../net/prefix.js';
import { decodeAttributes } from '../wire/bgp/attributes/decode-attributes.js';
import { HEADER_OCTETS, type NextHop } from '../wire/bgp/message.js';
import { encodeNextHop } from '../wire/bgp/next-hop.js';
import { NlriCursor } from '../wire/bgp/nlri-cursor.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { isEndOfRib, splitUpdate } from '../wire/bgp/update.js';
import { encodeAttributes, UpdateBuilder } from '../wire/bgp/update-encoder.js';
import { UpdateView } from '../wire/bgp/update-view.js';
import type { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember, SendCapabilities } from './adj-rib-out-types.js';
import type { Rib } from './rib.js';
import type { PeerIndex, RibPeerInfo } from './types.js';

export const LOCAL_AS = 64512;

export function prefix(text: string): Prefix {
  return parsePrefix(text)!;
}

export function linkLocalOf(peer: number): Uint8Array {
  return parseAddress(`fe80::${peer.toString(16)}`)!;
}

/** An EBGP session with spine number `n` (AS 65000 + n, identifier n) on interface n. */
export function peerInfo(n: number, changes: Partial<RibPeerInfo> = {}): RibPeerInfo {
  const external = changes.external ?? true;
  return {
    name: `spine${n}`,
    address: linkLocalOf(n),
    localAddress: linkLocalOf(0xffff),
    interfaceIndex: n,
    interfaceName: `eth${n}`,
    asn: external ? 65000 + n : LOCAL_AS,
    identifier: n,
    external,
    families: ['ipv4-unicast', 'ipv6-unicast'],
    context: { fourOctetAs: true, addPath: [], externalPeer: external, aigp: true },
    ...changes,
  };
}

export const SEND_CAPABILITIES: SendCapabilities = {
  families: FAMILIES,
  fourOctetAs: true,
  extendedMessage: false,
  extendedNextHop: ['ipv4-unicast'],
  linkLocalNextHop: true,
};

/** A session that carries everything, for the Adj-RIB-Out. */
export function member(
  session: Pick<AdjRibOutMember, 'peer' | 'nextHop' | 'send'> & Partial<AdjRibOutMember>,
): AdjRibOutMember {
  return { external: true, capabilities: SEND_CAPABILITIES, sendColour: true, aigp: true, ...session };
}

/** Attributes as spine `n` would send them for a route of AS 66000. */
export function attributesFrom(n: number, changes: Partial<PathAttributes> = {}): PathAttributes {
  return {
    origin: 0,
    asPath: [{ kind: 'sequence', asns: [65000 + n, 66000] }],
    nextHop: { linkLocal: linkLocalOf(n) },
    ...changes,
  };
}

export interface Announcement {
  readonly announce?: readonly string[];
  readonly withdraw?: readonly string[];
  readonly attributes?: PathAttributes;
  readonly pathId?: number;
}

/** Bodies of the UPDATEs that say this, one per family and direction. */
export function updateBodies(what: Announcement): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  for (const family of ['ipv4-unicast', 'ipv6-unicast'] as const) {
    const options = { family, addPath: what.pathId !== undefined, maximum: 4096 };
    const builder = new UpdateBuilder(options, (message) => bodies.push(message.subarray(HEADER_OCTETS)));
    const add = (texts: readonly string[] = []) => {
      for (const { address, length } of texts.map(prefix))
        if (familyOfAddress(address) === family) builder.add(address, 0, length, what.pathId);
      builder.flush();
    };
    builder.withdraw();
    add(what.withdraw);
    if (!what.attributes) continue;
    const nextHop = encodeNextHop(what.attributes.nextHop!, 'double')!;
    builder.announce(encodeAttributes(what.attributes, { fourOctetAs: true }), nextHop);
    add(what.announce);
  }
  return bodies;
}

export function feed(rib: Rib, peer: number, what: Announcement): void {
  for (const body of updateBodies(what)) rib.receiveUpdate(peer, body);
}

export function settle(rib: Rib): void {
  while (rib.decide(() => false));
}

export function selectionOf(rib: Rib, text: string) {
  const id = rib.find(prefix(text));
  return id === undefined ? undefined : rib.selection(id);
}

export interface HeldRoute {
  readonly attributes: PathAttributes;
}

/**
 * What a neighbour knows after a series of messages, by prefix, in families with path identifiers by `PREFIX path ID`. Throws on a
 * message that a correct neighbour would refuse.
 */
export class Neighbour {
  readonly routes = new Map<string, HeldRoute>();
  readonly endOfRib: Family[] = [];
  messages = 0;

  constructor(
    readonly external = true,
    readonly addPath: readonly Family[] = [],
  ) {}

  take(message: Uint8Array): void {
    const view = new UpdateView();
    const context = { fourOctetAs: true, addPath: this.addPath, externalPeer: this.external, aigp: true };
    const error = splitUpdate(message.subarray(HEADER_OCTETS), context, view);
    if (error) throw new Error(error.reason);
    const cursor = new NlriCursor();
    this.messages++;
    const end = isEndOfRib(view);
    if (end) this.endOfRib.push(end);
    cursor.openWithdrawn(view);
    for (const text of this.#texts(cursor, 'ipv4-unicast')) this.routes.delete(text);
    const unreach = cursor.openUnreach(view);
    if (unreach) for (const text of this.#texts(cursor, unreach)) this.routes.delete(text);
    const reach = cursor.openReach(view);
    if (!reach) return;
    const decoded = decodeAttributes(view, 'mp');
    if (!decoded.attributes || decoded.errors.length > 0) throw new Error(JSON.stringify(decoded.errors));
    for (const text of this.#texts(cursor, reach)) this.routes.set(text, { attributes: decoded.attributes });
  }

  #texts(cursor: NlriCursor, family: Family): string[] {
    const result: string[] = [];
    while (cursor.next()) {
      const address = new Uint8Array(family === 'ipv4-unicast' ? 4 : 16);
      address.set(cursor.body.subarray(cursor.offset, cursor.offset + ((cursor.bits + 7) >> 3)));
      const text = formatPrefix({ address: masked(address, cursor.bits), length: cursor.bits });
      result.push(this.addPath.includes(family) ? `${text} path ${cursor.pathId}` : text);
    }
    if (cursor.malformed) throw new Error('malformed routes');
    return result;
  }
}

/** What the table says that a session is told, by prefix as `Neighbour` has it. */
export function tableTold(out: AdjRibOut, peer: PeerIndex, addPath: readonly Family[] = []): Neighbour['routes'] {
  const neighbour = new Neighbour(true, addPath);
  for (const updates of out.told(peer)) for (const update of updates) neighbour.take(update);
  return neighbour.routes;
}

export function gatewayText(nextHop: NextHop | undefined): string | undefined {
  const address = nextHop?.linkLocal ?? nextHop?.global;
  return address && formatAddress(address);
}
