/**
 * A RIB with hostile and healthy neighbours, and the Adj-RIB-Out that tells the healthy ones. Each UPDATE goes in as a session would
 * hand it on, and everything that must hold afterwards is looked at against the judge's verdict.
 */
import { AdjRibOut } from '../core/rib/adj-rib-out.js';
import { Rib } from '../core/rib/rib.js';
import type { PeerIndex, UpdateResult } from '../core/rib/types.js';
import { decodeAttributes } from '../core/wire/bgp/attributes/decode-attributes.js';
import { HEADER_OCTETS, MAX_MESSAGE_OCTETS } from '../core/wire/bgp/message.js';
import type { PathAttributes } from '../core/wire/bgp/path-attributes.js';
import { splitUpdate } from '../core/wire/bgp/update.js';
import { encodeAttributes } from '../core/wire/bgp/update-encoder.js';
import { type NlriField, UpdateView } from '../core/wire/bgp/update-view.js';
import { keptAttributesComplaint, roundTripComplaint } from './attribute-checks.js';
import type { Finds } from './finds.js';
import { DUE, DUE_NAMES, Rfc7606Judge, type Verdict } from './rfc7606-judge.js';
import { HEALTHY_SESSIONS, LOCAL_AS, ribPeer, UPDATE_SESSIONS, updateContext } from './update-sessions.js';

/** Milliseconds that one input may take. */
export const PATIENCE = 100;
const TRIES = 3;
/** UPDATEs between two slices of decisions and of what the healthy neighbours are told. */
const SLICE = 32;
/** One in so many UPDATEs is decoded by itself, and encoded again where it is accepted. */
const DECODED = 4;
/** Paths of one session above which it starts afresh, so that a long run stays at one level. */
const MOST_PATHS = 2000;
const HEALTHY_PREFIXES = 50;

interface Hostile {
  peer: PeerIndex;
  /** What the session should hold: prefix keys, 1 for IPv4. */
  readonly routes: Map<number, number>;
  ipv4: number;
}

/** The RIB's level with nothing but the healthy neighbours in it. */
interface Level {
  readonly prefixes: number;
  readonly paths: number;
  readonly attributes: number;
}

export class UpdateTarget {
  /** Outcomes met, by DUE. */
  readonly outcomes = [0, 0, 0, 0];
  told = 0;
  slowest = 0;
  private readonly rib = new Rib({ localAs: LOCAL_AS });
  private readonly out: AdjRibOut;
  private readonly judge = new Rfc7606Judge();
  private readonly listener = new Rfc7606Judge();
  private readonly view = new UpdateView();
  private readonly hostile: Hostile[];
  private readonly healthy: PeerIndex[];
  private readonly contexts = UPDATE_SESSIONS.map(({ context }) => updateContext(context));
  private dead: PeerIndex[] = [];
  private count = 0;
  private readonly level: Level;

  constructor(private readonly finds: Finds) {
    const { rib } = this;
    this.out = new AdjRibOut(rib, {
      localAs: LOCAL_AS,
      role: 'spine',
      aigpOrigin: 0n,
      aigpStep: 1n,
      nextNextHopIdentifier: 0x0a00_0009,
    });
    rib.addSink(this.out);
    this.healthy = HEALTHY_SESSIONS.map((session, index) => {
      const peer = rib.addPeer(ribPeer(session, UPDATE_SESSIONS.length + index));
      this.join(peer, index);
      rib.receiveUpdate(peer, healthyRoutes(index));
      return peer;
    });
    this.hostile = UPDATE_SESSIONS.map((session, index) => ({
      peer: rib.addPeer(ribPeer(session, index)),
      routes: new Map(),
      ipv4: 0,
    }));
    this.settle();
    this.level = this.totals();
  }

  /** `due` is what whoever made the message knows of it; the verdict holds until the next message. */
  receive(place: number, body: Uint8Array, due: number | undefined): Verdict {
    const session = this.hostile[place]!;
    const { name, context } = UPDATE_SESSIONS[place]!;
    const verdict = this.judge.judge(body, context);
    this.outcomes[verdict.due]!++;
    if (due !== undefined && due !== verdict.due) {
      const detail = `${DUE_NAMES[due]} is due, the judge says ${DUE_NAMES[verdict.due]}`;
      this.finds.add('the oracles disagree', name, { detail, input: body });
    }
    try {
      this.checkAttributes(place, body, verdict);
      const before = performance.now();
      const result = this.rib.receiveUpdate(session.peer, body);
      const taken = performance.now() - before;
      if (taken > this.slowest) this.slowest = this.confirmed(place, body, taken);
      this.checkResult(place, body, { verdict, result });
    } catch (error) {
      this.finds.add('an exception', name, { detail: String((error as Error).stack), input: body });
      this.restart(session, place);
    }
    if (session.routes.size > MOST_PATHS) this.restart(session, place);
    if (++this.count % SLICE === 0) this.settle();
    return verdict;
  }

  /** With all hostile sessions gone, nothing of theirs may be left. */
  checkLevel(): void {
    this.hostile.forEach((session, place) => {
      this.restart(session, place);
    });
    this.settle();
    const now = this.totals();
    const { level } = this;
    if (now.prefixes === level.prefixes && now.paths === level.paths && now.attributes === level.attributes) return;
    const detail = `${JSON.stringify(level)} before, ${JSON.stringify(now)} after`;
    this.finds.add('something is left of sessions that ended', 'RIB', { detail, input: '' });
  }

  /** A busy machine can stop anything: what was slow is tried again by itself, and counts when it stays slow. */
  private confirmed(place: number, body: Uint8Array, taken: number): number {
    let least = taken;
    for (let tries = 0; tries < TRIES; tries++) {
      const rib = new Rib({ localAs: LOCAL_AS });
      const peer = rib.addPeer(ribPeer(UPDATE_SESSIONS[place]!, place));
      const before = performance.now();
      rib.receiveUpdate(peer, body);
      least = Math.min(least, performance.now() - before);
    }
    if (least > PATIENCE)
      this.finds.add(`longer than ${PATIENCE} ms`, UPDATE_SESSIONS[place]!.name, {
        detail: `${least} ms`,
        input: body,
      });
    return Math.max(least, this.slowest);
  }

  private totals(): Level {
    const { prefixes, paths, attributes } = this.rib.totals();
    return { prefixes, paths, attributes };
  }

  /** The healthy neighbours are told what is new, and that is judged. */
  settle(): void {
    if (this.dead.length > 0) this.rib.removePeers(this.dead);
    this.dead = [];
    while (this.rib.decide(() => false));
    while (this.out.pump(() => false));
  }

  private restart(session: Hostile, place: number): void {
    this.dead.push(session.peer);
    session.peer = this.rib.addPeer(ribPeer(UPDATE_SESSIONS[place]!, place));
    session.routes.clear();
    session.ipv4 = 0;
  }

  private checkResult(
    place: number,
    body: Uint8Array,
    { verdict, result }: { readonly verdict: Verdict; readonly result: UpdateResult },
  ): void {
    const { name } = UPDATE_SESSIONS[place]!;
    const session = this.hostile[place]!;
    const complain = (kind: string, detail: string) => this.finds.add(kind, name, { detail, input: body });
    for (const peer of this.healthy)
      if (this.rib.counters(peer).paths !== HEALTHY_PREFIXES) complain("another peer's routes changed", '');
    if (result?.kind === 'error') {
      const isDue = verdict.due === DUE.reset && result.code === 3 && (verdict.subcodes & (1 << result.subcode)) !== 0;
      if (!isDue) complain(`reset ${result.code}/${result.subcode}, due: ${DUE_NAMES[verdict.due]}`, result.reason);
      return this.restart(session, place);
    }
    if (verdict.due === DUE.reset && !verdict.mayIgnore) {
      complain('no reset where one is due', `subcodes ${verdict.subcodes.toString(2)}`);
      return this.restart(session, place);
    }
    if ((result?.family ?? '') !== ['', 'ipv4-unicast', 'ipv6-unicast'][verdict.endOfRib])
      complain('End-of-RIB', `${result?.family}, due: AFI ${verdict.endOfRib}`);
    this.follow(session, verdict);
    const { paths, prefixes } = this.rib.counters(session.peer);
    const ipv4 = prefixes['ipv4-unicast'];
    // With identifiers there may be fewer prefixes than routes.
    const isRight = UPDATE_SESSIONS[place]!.context.addPath ? ipv4 <= session.ipv4 : ipv4 === session.ipv4;
    if (paths === session.routes.size && isRight) return;
    complain(
      `wrong routes, due: ${DUE_NAMES[verdict.due]}`,
      `${paths} paths, ${ipv4} prefixes of IPv4; due: ${session.routes.size}, ${session.ipv4}`,
    );
    this.restart(session, place);
  }

  private follow(session: Hostile, { withdrawn, announced }: Verdict): void {
    const { routes } = session;
    for (let i = 0; i < withdrawn.count; i++) {
      if (routes.delete(withdrawn.keys[i]!)) session.ipv4 -= withdrawn.ipv4[i]!;
    }
    for (let i = 0; i < announced.count; i++) {
      const key = announced.keys[i]!;
      if (routes.has(key)) continue;
      routes.set(key, 1);
      session.ipv4 += announced.ipv4[i]!;
    }
  }

  /** The decoder by itself: which attributes the routes have, and that they can be written again. */
  private checkAttributes(place: number, body: Uint8Array, verdict: Verdict): void {
    if (verdict.due >= DUE.withdraw || this.count % DECODED !== 0) return;
    if (splitUpdate(body, this.contexts[place]!, this.view)) return;
    if (verdict.classic) this.checkField('classic', place, { body, verdict });
    if (verdict.multiprotocol) this.checkField('mp', place, { body, verdict });
  }

  private checkField(
    field: NlriField,
    place: number,
    { body, verdict }: { readonly body: Uint8Array; readonly verdict: Verdict },
  ): void {
    const { attributes } = decodeAttributes(this.view, field);
    if (!attributes) return;
    const complaint = keptAttributesComplaint(attributes, verdict, field) ?? this.roundTrip(attributes, place);
    if (complaint) this.finds.add(complaint, UPDATE_SESSIONS[place]!.name, { detail: field, input: body });
  }

  private roundTrip(attributes: PathAttributes, place: number): string | undefined {
    const { fourOctetAs } = UPDATE_SESSIONS[place]!.context;
    return roundTripComplaint(this.view, encodeAttributes(attributes, { fourOctetAs }), fourOctetAs);
  }

  private join(peer: PeerIndex, index: number): void {
    const { name, context } = HEALTHY_SESSIONS[index]!;
    const listening = { ...context, told: true };
    const { fourOctetAs, aigp } = context;
    this.out.join({
      peer,
      external: true,
      nextHop: { linkLocal: Uint8Array.of(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) },
      capabilities: {
        families: ['ipv4-unicast', 'ipv6-unicast'],
        fourOctetAs,
        extendedMessage: false,
        extendedNextHop: ['ipv4-unicast'],
        linkLocalNextHop: true,
      },
      sendColour: true,
      aigp,
      send: (message) => {
        this.told++;
        const { due } = this.listener.judge(message.subarray(HEADER_OCTETS), listening);
        const length = message[16]! * 256 + message[17]!;
        if (due === DUE.nothing && length === message.length && length <= MAX_MESSAGE_OCTETS) return true;
        this.finds.add(`was told what is wrong: ${DUE_NAMES[due]}`, name, {
          detail: `length ${length}`,
          input: message,
        });
        return true;
      },
    });
  }
}

/** 50 prefixes that no hostile neighbour has in its pool. */
function healthyRoutes(index: number): Uint8Array {
  const hop = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x90 + index];
  const routes = Array.from({ length: HEALTHY_PREFIXES }, (_, place) => [48, 0xfd, 0, 0, 1, index, place]).flat();
  const reach = [0, 2, 1, 16, ...hop, 0, ...routes];
  const path = index === 0 ? [0x40, 2, 6, 2, 1, 0, 0, 0xfe, 0x55] : [0x40, 2, 4, 2, 1, 0xfe, 0x56];
  const attributes = [0x90, 14, reach.length >> 8, reach.length & 255, ...reach, 0x40, 1, 1, 0, ...path];
  return Uint8Array.of(0, 0, attributes.length >> 8, attributes.length & 255, ...attributes);
}
