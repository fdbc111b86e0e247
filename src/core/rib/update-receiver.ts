/**
 * From the body of one UPDATE to paths in the store (RFC 4271 section 9, RFC 7606). Attributes are looked at once per
 * message, by id; per route there is a prefix lookup and a path, and no allocation. RFC 7606 outcomes short of a reset are
 * applied here.
 */
import { counted } from '../net/counted.js';
import { AFI, type Family, SAFI_UNICAST } from '../net/family.js';
import type { EventLog } from '../ports/event-log.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { type DecodedAttributes, decodeAttributes, resetError } from '../wire/bgp/attributes/decode-attributes.js';
import type { MessageError } from '../wire/bgp/message.js';
import { NlriCursor } from '../wire/bgp/nlri-cursor.js';
import { read32 } from '../wire/bgp/octets.js';
import { strongestAction } from '../wire/bgp/path-attributes.js';
import { invalidNetworkField, isEndOfRib, splitUpdate } from '../wire/bgp/update.js';
import { type NlriField, UpdateView } from '../wire/bgp/update-view.js';
import { unroutable } from './eligibility.js';
import type { ImportJudge } from './import-judge.js';
import type { PeerTable } from './peer-table.js';
import { MOST_PATHS, type RouteStore } from './route-store.js';
import type { PeerIndex, RibPeerInfo, UpdateResult } from './types.js';

const LISTED_ERRORS = 3;

export interface ReceiverParts {
  readonly attributes: AttributeTable;
  readonly peers: PeerTable;
  readonly store: RouteStore;
  readonly imports: ImportJudge;
  readonly log: EventLog | undefined;
}

export class UpdateReceiver {
  readonly #attributes: AttributeTable;
  readonly #peers: PeerTable;
  readonly #store: RouteStore;
  readonly #log: EventLog | undefined;
  readonly #view = new UpdateView();
  readonly #cursor = new NlriCursor();
  readonly #imports: ImportJudge;

  constructor(parts: ReceiverParts) {
    this.#attributes = parts.attributes;
    this.#imports = parts.imports;
    this.#peers = parts.peers;
    this.#store = parts.store;
    this.#log = parts.log;
  }

  receive(peer: PeerIndex, body: Uint8Array): UpdateResult {
    const info = this.#peers.info(peer);
    if (!info || !this.#peers.isUp(peer)) return undefined;
    this.#peers.counters(peer).updates++;
    const view = this.#view;
    const error = splitUpdate(body, info.context, view) ?? this.#apply(peer, info);
    if (error) return this.#fail(peer, info, error);
    const family = isEndOfRib(view);
    return family === undefined ? undefined : { kind: 'end-of-rib', family };
  }

  #apply(peer: PeerIndex, info: RibPeerInfo): MessageError | undefined {
    const view = this.#view;
    const cursor = this.#cursor;
    if (!view.hasReachable && (view.attributeCount > 0 || view.faults.length > 0)) {
      // RFC 7606 section 5.2: nothing to withdraw; the judgement of the attributes stands.
      const error = this.#judge(peer, info, decodeAttributes(view, 'classic'));
      if (error) return error;
    }
    if (view.withdrawnEnd > view.withdrawnStart) {
      const family = this.#negotiated(peer, info, cursor.openWithdrawn(view), AFI['ipv4-unicast'], SAFI_UNICAST);
      if (family) this.#withdrawAll(peer, family);
      if (cursor.malformed) return invalidNetworkField('withdrawn routes');
    }
    if (view.unreachNlriEnd > view.unreachNlriStart) {
      const family = this.#negotiated(peer, info, cursor.openUnreach(view), view.unreachAfi, view.unreachSafi);
      if (family) this.#withdrawAll(peer, family);
      if (cursor.malformed) return invalidNetworkField('the routes of MP_UNREACH_NLRI');
    }
    if (view.reachNlriEnd > view.reachNlriStart) {
      const family = this.#negotiated(peer, info, cursor.openReach(view), view.reachAfi, view.reachSafi);
      const error = family && this.#announceField(peer, info, family, 'mp');
      if (error) return error;
    }
    if (view.nlriEnd === view.nlriStart) return undefined;
    const family = this.#negotiated(peer, info, cursor.openNlri(view), AFI['ipv4-unicast'], SAFI_UNICAST);
    return family && this.#announceField(peer, info, family, 'classic');
  }

  /** The cursor stands before the routes of `field`. */
  #announceField(peer: PeerIndex, info: RibPeerInfo, family: Family, field: NlriField): MessageError | undefined {
    const attributes = this.#attributes;
    let id = attributes.internReceived(this.#view, field);
    const decoded = id === -1 ? decodeAttributes(this.#view, field) : attributes.decoded(id);
    if (decoded.errors.length > 0) {
      const error = this.#judge(peer, info, decoded);
      if (error) {
        if (id !== -1) attributes.release(id);
        return error;
      }
    }
    const value = decoded.attributes;
    if (value === undefined || this.#isOtherFieldBad(field)) this.#withdrawAll(peer, family);
    else {
      if (id === -1) id = attributes.internValue(value);
      if (this.#imports.mayChange(info, id)) this.#announceUnderPolicy(peer, info, family, id);
      else this.#announceAll(peer, family, id, this.#imports.hiddenReason(info, id));
    }
    if (id !== -1) attributes.release(id);
    return this.#cursor.malformed ? invalidNetworkField('announced routes') : undefined;
  }

  /** RFC 7606 section 2: treat-as-withdraw is about all routes of an UPDATE, whichever field's next hop was wrong. */
  #isOtherFieldBad(field: NlriField): boolean {
    const other = field === 'mp' ? 'classic' : 'mp';
    return this.#view.hasRoutes(other) && decodeAttributes(this.#view, other).attributes === undefined;
  }

  /** `received` stays the caller's. */
  #announceUnderPolicy(peer: PeerIndex, info: RibPeerInfo, family: Family, received: AttributeId): void {
    const judge = this.#imports;
    if (info.importPolicy?.looksAtPrefix) return this.#announceEach(peer, info, family, received);
    judge.judge(info, received, '');
    this.#announceAll(peer, family, judge.id, judge.hidden, received);
    this.#attributes.release(judge.id);
  }

  /** A policy that looks at prefixes is asked for each of them. */
  #announceEach(peer: PeerIndex, info: RibPeerInfo, family: Family, received: AttributeId): void {
    const cursor = this.#cursor;
    const { prefixes } = this.#store;
    const judge = this.#imports;
    let count = 0;
    let refused = 0;
    while (cursor.next()) {
      const { offset, bits, body } = cursor;
      const prefix = prefixes.intern(
        family,
        bits,
        word(body, offset, bits),
        word(body, offset + 4, bits - 32),
        word(body, offset + 8, bits - 64),
        word(body, offset + 12, bits - 96),
      );
      judge.judge(info, received, info.importPolicy?.hits(prefixes.prefixOf(prefix)) ?? '');
      const hidden = judge.hidden || unroutable(family, body, cursor);
      if (!this.#store.announce(prefix, peer, cursor.pathId | 0, judge.id, hidden, received)) refused++;
      this.#attributes.release(judge.id);
      count++;
    }
    this.#noteAnnounced(peer, count, refused);
  }

  #announceAll(peer: PeerIndex, family: Family, id: AttributeId, hidden: number, received = id): void {
    const cursor = this.#cursor;
    const store = this.#store;
    let count = 0;
    let refused = 0;
    while (cursor.next()) {
      const { offset, bits } = cursor;
      const prefix = store.prefixes.intern(
        family,
        bits,
        word(cursor.body, offset, bits),
        word(cursor.body, offset + 4, bits - 32),
        word(cursor.body, offset + 8, bits - 64),
        word(cursor.body, offset + 12, bits - 96),
      );
      const reason = hidden || unroutable(family, cursor.body, cursor);
      if (!store.announce(prefix, peer, cursor.pathId | 0, id, reason, received)) refused++;
      count++;
    }
    this.#noteAnnounced(peer, count, refused);
  }

  #noteAnnounced(peer: PeerIndex, count: number, refused: number): void {
    this.#peers.counters(peer).announced += count;
    if (refused === 0) return;
    const info = this.#peers.info(peer)!;
    this.#complain(peer, info, () => `ignored ${counted(refused, 'path')}: more than ${MOST_PATHS} of one prefix`);
  }

  #withdrawAll(peer: PeerIndex, family: Family): void {
    const cursor = this.#cursor;
    const store = this.#store;
    let count = 0;
    while (cursor.next()) {
      const { offset, bits } = cursor;
      const prefix = store.prefixes.lookup(
        family,
        bits,
        word(cursor.body, offset, bits),
        word(cursor.body, offset + 4, bits - 32),
        word(cursor.body, offset + 8, bits - 64),
        word(cursor.body, offset + 12, bits - 96),
      );
      if (prefix !== undefined) store.withdraw(prefix, peer, cursor.pathId | 0);
      count++;
    }
    this.#peers.counters(peer).withdrawn += count;
  }

  /** RFC 4760 section 8: routes of a family that was not agreed on are ignored. */
  #negotiated(
    peer: PeerIndex,
    info: RibPeerInfo,
    family: Family | undefined,
    afi: number,
    safi: number,
  ): Family | undefined {
    if (family && info.families.includes(family)) return family;
    this.#complain(peer, info, () => `ignored routes of AFI ${afi} SAFI ${safi}: not negotiated`);
    return undefined;
  }

  /** Counts and logs attribute errors; returns the error that ends the session, if they ask for it. */
  #judge(peer: PeerIndex, info: RibPeerInfo, decoded: DecodedAttributes): MessageError | undefined {
    if (decoded.errors.every(({ ignored }) => ignored)) return undefined;
    const action = strongestAction(decoded.errors);
    // RFC 7606 section 2: a speaker that cannot disable one AFI/SAFI resets the session.
    if (action === 'session-reset' || action === 'afi-safi-disable') return resetError(decoded);
    this.#complain(peer, info, () => `${action}: ${reasonsOf(decoded)}`);
    return undefined;
  }

  /** Counts an error, and says so ever more seldom: a peer that sends nothing else must not fill the log. */
  #complain(peer: PeerIndex, info: RibPeerInfo, describe: () => string): void {
    const errors = ++this.#peers.counters(peer).errors;
    if ((errors & (errors - 1)) === 0)
      this.#write('warn', info, `UPDATE with errors (${errors} so far), ${describe()}`);
  }

  #fail(peer: PeerIndex, info: RibPeerInfo, error: MessageError): MessageError {
    this.#peers.counters(peer).errors++;
    this.#write('error', info, `UPDATE ends the session: ${error.reason}`);
    return error;
  }

  #write(level: 'warn' | 'error', info: RibPeerInfo, message: string): void {
    this.#log?.write({ level, topic: 'rib', message: `${info.name}: ${message}`, fields: { peer: info.name } });
  }
}

/** The first few: one message has room for thousands. */
function reasonsOf(decoded: DecodedAttributes): string {
  const errors = decoded.errors.filter(({ ignored }) => !ignored);
  const reasons = errors.slice(0, LISTED_ERRORS).map(({ attribute, reason }) => `attribute ${attribute}: ${reason}`);
  const more = errors.length > LISTED_ERRORS ? [`${errors.length - LISTED_ERRORS} more`] : [];
  return [...reasons, ...more].join('; ');
}

/** The 32 address bits from `at`, of which `bits` count (0 or less: none); bits beyond are zero. */
function word(body: Uint8Array, at: number, bits: number): number {
  if (bits >= 32) return read32(body, at) | 0;
  let value = 0;
  for (let shift = 24, left = bits; left > 0; shift -= 8, left -= 8) value |= body[at++]! << shift;
  return bits > 0 ? value & (-1 << (32 - bits)) : 0;
}
