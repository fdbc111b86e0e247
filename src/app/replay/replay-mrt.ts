/**
 * Turns MRT files into the events that captures give: each route of a table dump becomes the UPDATE that brought it, each
 * BGP4MP record a message or a change of state. What two OPENs would say of the session, the records say themselves.
 */
import { type Address, formatAddress, isUnspecified } from '../../core/net/address.js';
import { AS_TRANS, type AsNumber } from '../../core/net/as-number.js';
import { AFI, FAMILIES, type Family, SAFI_UNICAST } from '../../core/net/family.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { type Capability, HEADER_OCTETS, MESSAGE_TYPE, type OpenMessage } from '../../core/wire/bgp/message.js';
import { MARKER_OCTETS } from '../../core/wire/bgp/message-header.js';
import { read16 } from '../../core/wire/bgp/octets.js';
import { openAsField } from '../../core/wire/bgp/open.js';
import type { MrtMessage, MrtSession, MrtStateChange } from '../../core/wire/mrt/bgp4mp.js';
import type { MrtFile, MrtItem } from '../../core/wire/mrt/read-mrt.js';
import { entryToUpdate } from '../../core/wire/mrt/rib-entry.js';
import type { DumpedPeer, PeerIndexTable, RibEntry, RibRecord } from '../../core/wire/mrt/table-dump.js';
import type { TcpConnection } from '../../core/wire/tcp-reassembly.js';
import { BgpDialogue, type DecodedMessage, decodeUpdate, type SessionOpens } from './bgp-dialogue.js';
import type { BgpContent, ReplayContent, ReplayEvent } from './replay-event.js';

const BGP_PORT = 179;
/** Stands in for the next hop that a route of the router's own does not have, while it is decoded. */
const NO_NEXT_HOP: Readonly<Record<Family, Address>> = {
  'ipv4-unicast': Uint8Array.of(192, 0, 2, 1),
  'ipv6-unicast': Uint8Array.of(0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
};

interface Ends {
  readonly source: Address;
  readonly destination: Address;
}

/** `firstConnection` numbers the sessions of the files. */
export function replayMrt(file: MrtFile, capture: number, firstConnection: number): ReplayEvent[] {
  const replayer = new MrtReplayer(capture, firstConnection);
  for (const { content } of file.items) if ('session' in content) replayer.learn(content.session);
  for (const item of file.items) replayer.push(item);
  return replayer.events;
}

class MrtReplayer {
  readonly events: ReplayEvent[] = [];
  private readonly connections = new Map<string, TcpConnection>();
  /** BGP identifiers from the OPENs recorded so far, by session. */
  private readonly identifiers = new Map<string, number>();
  /** AS numbers, by session and side, where a record has them in 4 octets. */
  private readonly asNumbers = new Map<string, AsNumber>();
  private table: PeerIndexTable | undefined;
  private item!: MrtItem;

  constructor(
    private readonly capture: number,
    private readonly firstConnection: number,
  ) {}

  /** BIRD writes the records before the OPENs in the 2-octet form, with AS_TRANS for numbers that do not fit (RFC 6793). */
  learn(session: MrtSession): void {
    const { peerAs, localAs } = session;
    if (peerAs !== AS_TRANS) this.asNumbers.set(`${sessionKey(session)} false`, peerAs);
    if (localAs !== AS_TRANS) this.asNumbers.set(`${sessionKey(session)} true`, localAs);
  }

  push(item: MrtItem): void {
    this.item = item;
    const { content } = item;
    if (content.kind === 'peers') this.table = content.table;
    else if (content.kind === 'rib') this.pushRib(content.rib);
    else if (content.kind === 'state-change') this.pushState(content);
    else this.pushMessage(content);
  }

  private pushRib(rib: RibRecord): void {
    for (const entry of rib.entries) {
      const peer = this.table?.peers[entry.peer];
      if (this.table && peer) this.pushEntry(rib, entry, { peer, table: this.table });
      else this.note(`an entry of peer ${entry.peer}, which is not in a table of peers`);
    }
  }

  private pushEntry(rib: RibRecord, entry: RibEntry, of: { peer: DumpedPeer; table: PeerIndexTable }): void {
    const { peer, table } = of;
    const own = isUnspecified(peer.address);
    const { family, prefix, addPath } = rib;
    const bytes = entryToUpdate(entry, { family, prefix, ...(own && { nextHop: NO_NEXT_HOP[family] }) });
    if (!bytes) return this.note(`an entry of ${formatAddress(peer.address)} whose attributes do not fit`);
    const localAs = table.peers.find(({ address }) => isUnspecified(address))?.asn ?? 0;
    const form = { fourOctetAs: true, addPath };
    const opens = {
      sender: openOf(peer.asn, own ? table.collector : peer.identifier, form),
      receiver: openOf(localAs, table.collector, form),
    };
    const ends = { source: peer.address, destination: new Uint8Array(peer.address.length) };
    const message = decodeUpdate(bytes.subarray(HEADER_OCTETS), opens);
    if (own && !isUsable(message)) return this.note(`${formatPrefix(prefix)}: of the router's own, not from BGP`, ends);
    const connection = this.connection(`table ${entry.peer} ${addPath}`, ends);
    const content: BgpContent = { kind: 'bgp', message, bytes, connection, fromFirst: true, opens };
    this.emit(ends, own ? { ...content, message: withoutNextHop(message), own } : content);
  }

  private pushMessage(record: MrtMessage): void {
    const { session, message: bytes, local } = record;
    const ends = endsOf(session, local);
    if (bytes.length < HEADER_OCTETS || read16(bytes, MARKER_OCTETS) !== bytes.length) {
      return this.note('a BGP message whose length is not that of its record', ends);
    }
    const identity = sessionKey(session);
    const update = bytes[MARKER_OCTETS + 2] === MESSAGE_TYPE.update;
    const plain = update ? undefined : new BgpDialogue().decode(bytes, true);
    if (plain?.kind === 'open') this.identifiers.set(`${identity} ${local}`, plain.identifier);
    const opens = this.opens(record);
    const message = plain ?? decodeUpdate(bytes.subarray(HEADER_OCTETS), opens);
    const form = `${record.fourOctetAs} ${record.addPath}`;
    const connection = this.connection(`${identity} ${form}`, endsOf(session, false));
    this.emit(ends, { kind: 'bgp', message, bytes, connection, fromFirst: !local, opens });
  }

  private opens({ session, local, ...form }: MrtMessage): SessionOpens {
    const openBy = (ours: boolean, asn: AsNumber) => {
      const side = `${sessionKey(session)} ${ours}`;
      return openOf(this.asNumbers.get(side) ?? asn, this.identifiers.get(side) ?? 0, form);
    };
    const peer = openBy(false, session.peerAs);
    const router = openBy(true, session.localAs);
    return local ? { sender: router, receiver: peer } : { sender: peer, receiver: router };
  }

  private pushState({ session, from, to }: MrtStateChange): void {
    const ends = endsOf(session, false);
    this.emit(ends, { kind: 'state', from, to });
    if (from !== 'established') return;
    for (const [key, connection] of this.connections) {
      if (key.startsWith(`${sessionKey(session)} `)) this.emit(ends, { kind: 'closed', connection, how: 'state' });
    }
  }

  private connection(key: string, { source, destination }: Ends): TcpConnection {
    const known = this.connections.get(key);
    if (known) return known;
    const end = (address: Address) => ({ address, port: BGP_PORT });
    const id = this.firstConnection + this.connections.size;
    const connection = { id, first: end(source), second: end(destination) };
    this.connections.set(key, connection);
    return connection;
  }

  private note(text: string, ends: Ends = { source: new Uint8Array(16), destination: new Uint8Array(16) }): void {
    this.emit(ends, { kind: 'note', text });
  }

  private emit(ends: Ends, content: ReplayContent): void {
    const { record, time } = this.item;
    this.events.push({ capture: this.capture, frame: record, time: BigInt(time) * 1000n, ...ends, content });
  }
}

/** BIRD writes routes that it did not learn by BGP too, without the attributes that BGP requires. */
function isUsable(message: DecodedMessage): boolean {
  return message.kind === 'update' && message.announced.some(({ attributes }) => attributes !== undefined);
}

function sessionKey({ peerAddress, localAddress, interfaceIndex }: MrtSession): string {
  return `${formatAddress(peerAddress)} ${formatAddress(localAddress)} ${interfaceIndex}`;
}

function endsOf({ peerAddress, localAddress }: MrtSession, local: boolean): Ends {
  return local
    ? { source: localAddress, destination: peerAddress }
    : { source: peerAddress, destination: localAddress };
}

/** What an OPEN of this router would have said for its UPDATEs to be read as the record says. */
function openOf(asn: number, identifier: number, form: { fourOctetAs: boolean; addPath: boolean }): OpenMessage {
  const families = FAMILIES.map((family) => ({ afi: AFI[family], safi: SAFI_UNICAST }));
  const capabilities: Capability[] = families.map((family) => ({ kind: 'multiprotocol', ...family }));
  if (form.fourOctetAs) capabilities.push({ kind: 'four-octet-as', asn });
  if (form.addPath) {
    capabilities.push({ kind: 'add-path', families: families.map((family) => ({ ...family, mode: 3 })) });
  }
  return { kind: 'open', version: 4, asn, asField: openAsField(asn), holdTime: 0, identifier, capabilities };
}

function withoutNextHop(message: DecodedMessage): DecodedMessage {
  if (message.kind !== 'update') return message;
  const announced = message.announced.map((list) => {
    if (!list.attributes) return list;
    const { nextHop: _placeholder, ...attributes } = list.attributes;
    return { ...list, attributes };
  });
  return { ...message, announced };
}
