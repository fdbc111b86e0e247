/**
 * One session in an export group. It either reads along in the group's log, or catches up from the group's table: the whole
 * of it (it has just joined, or asked for a refresh) and then the prefixes that changed meanwhile. However slow it reads,
 * what is kept for it is bounded: one slice of messages, and one bit and one number per prefix.
 */
import { equalBytes } from '../net/address.js';
import { FAMILIES } from '../net/family.js';
import { objectList } from '../net/object-list.js';
import { encodeEndOfRib } from '../wire/bgp/update-encoder.js';
import type { AdjRibOutMember } from './adj-rib-out-types.js';
import { isInAudience } from './audience.js';
import type { LoggedMessage } from './message-log.js';
import { type NextHopsSelf, nextHopsSelf } from './next-hop-self.js';
import { PrefixSet } from './prefix-set.js';
import type { PeerIndex, PrefixId } from './types.js';

export class GroupMember {
  readonly peer: PeerIndex;
  readonly nextHops: NextHopsSelf;
  /** The session asked to wait. */
  blocked = false;
  updates = 0;
  /** Position in the log of the next message to read; `undefined` while catching up. */
  position: number | undefined;
  /** Catching up: prefixes from here on are still to be read from the table. */
  walk: PrefixId = 0;
  /** Catching up: prefixes that changed behind the walk. */
  readonly missed = new PrefixSet();
  /** Messages made for this member only. */
  readonly outbox: Uint8Array[] = objectList();
  /** Nothing has been told yet, so what lies ahead of the walk needs no withdrawal. */
  #isNew = true;
  #endOfRibSent = false;
  readonly #session: AdjRibOutMember;
  #caughtUp: (() => void)[] = [];
  #afterEndOfRib: (() => void)[] = [];

  constructor(session: AdjRibOutMember) {
    this.peer = session.peer;
    this.nextHops = nextHopsSelf(session);
    this.#session = session;
  }

  /** Reads the table again from the start; `done` is called when the last of it is sent. */
  restart(done?: () => void): void {
    this.position = undefined;
    this.walk = 0;
    this.#isNew = false;
    if (done) this.#caughtUp.push(done);
  }

  /** It has everything up to now but the prefixes that it is told to have missed. */
  fallBehind(): void {
    this.position = undefined;
    this.walk = Number.MAX_SAFE_INTEGER;
  }

  /** A prefix changed while this member catches up. True when it is newly remembered. */
  miss(id: PrefixId): boolean {
    if (this.#isNew && id >= this.walk) return false;
    return this.missed.add(id);
  }

  /** It has all there is: reads along from `position`. */
  readAlong(position: number): void {
    this.position = position;
    this.#isNew = false;
    for (const done of this.#caughtUp) done();
    this.#caughtUp = [];
  }

  isAudience(message: LoggedMessage): boolean {
    return isInAudience(this.peer, message.audience);
  }

  /** Sends a message of the group, with this member's own next hop in it. */
  sendShared(message: LoggedMessage): void {
    this.send(this.#withOwnNextHop(message));
  }

  send(bytes: Uint8Array): void {
    this.updates++;
    if (!this.#session.send(bytes)) this.blocked = true;
  }

  /** RFC 4724 section 2, once, when the whole table has been sent. */
  sendEndOfRib(): void {
    if (this.#endOfRibSent) return;
    this.#endOfRibSent = true;
    const negotiated = this.#session.capabilities.families;
    for (const family of FAMILIES) if (negotiated.includes(family)) this.send(encodeEndOfRib(family));
    for (const action of this.#afterEndOfRib) action();
    this.#afterEndOfRib = [];
  }

  /** At once when End-of-RIB has been sent. */
  afterEndOfRib(action: () => void): void {
    if (this.#endOfRibSent) action();
    else this.#afterEndOfRib.push(action);
  }

  #withOwnNextHop({ bytes, nextHopOffset, family }: LoggedMessage): Uint8Array {
    const own = this.nextHops[family];
    if (nextHopOffset === 0 || !own) return bytes;
    if (equalBytes(bytes.subarray(nextHopOffset, nextHopOffset + own.length), own)) return bytes;
    const copy = bytes.slice();
    copy.set(own, nextHopOffset);
    return copy;
  }
}
