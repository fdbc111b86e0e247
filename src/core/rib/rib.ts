/**
 * The routing information base (RFC 4271 section 9): what peers announced and we originate (Adj-RIB-In), and what was chosen
 * (Loc-RIB). Receiving only stores and marks; `decide` works the marked prefixes in slices and tells the sinks which
 * selections changed. Nothing here is an object per route: see prefix-table.ts, path-store.ts and route/attribute-table.ts.
 */
import type { AsNumber } from '../net/as-number.js';
import { FAMILIES, type Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import type { EventLog } from '../ports/event-log.js';
import type { Reachability } from '../ports/reachability.js';
import { PLAIN_MEMORY, type TableMemory } from '../ports/table-memory.js';
import { type AttributeId, AttributeTable } from '../route/attribute-table.js';
import { HAS_AIGP } from '../route/preference.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { Decision } from './decision.js';
import { ELIGIBLE } from './eligibility.js';
import { ImportJudge } from './import-judge.js';
import { NextHopTable } from './next-hop-table.js';
import { NextHopWalk } from './next-hop-walk.js';
import type { PathQuestion } from './path-selection.js';
import { ATTRIBUTE, BEST, NEXT, PATH_WORDS, type PathIndex, PEER_MASK, PRIMARY, WORD } from './path-store.js';
import { PathViews } from './path-views.js';
import { type PeerCensus, peerCensus } from './peer-census.js';
import { PeerTable } from './peer-table.js';
import { PeerWalk } from './peer-walk.js';
import { PrefixList } from './prefix-list.js';
import { HEAD, type PrefixTable, RECORD_WORDS, STATE } from './prefix-table.js';
import { Reevaluation } from './reevaluation.js';
import { DIRTY, familyBit, RouteStore, TOUCHED } from './route-store.js';
import { SelectedPeers } from './selected-peers.js';
import {
  type Explanation,
  LOCAL_PEER,
  type PeerCounters,
  type PeerIndex,
  type PrefixId,
  type RibPeerInfo,
  type RibSink,
  type RibTotals,
  type Selection,
  type UpdateResult,
} from './types.js';
import { UpdateReceiver } from './update-receiver.js';

/** Prefixes between two looks at the clock. */
const DECISIONS_PER_CHECK = 512;

export interface RibOptions {
  readonly localAs: AsNumber;
  /** Ours as BGP identifier and as route reflector (RFC 4456 section 8): routes that come back with them are hidden. */
  readonly identifier?: number;
  readonly clusterId?: number;
  readonly log?: EventLog;
  /** Without it no next hop that must be looked up is reached. */
  readonly reachability?: Reachability;
  /** Shared with other routers of the process; absent: one of its own. */
  readonly attributes?: AttributeTable | undefined;
  /** Clock milliseconds, for the age of paths; without it all are as old as the clock. */
  readonly now?: () => number;
  readonly memory?: TableMemory | undefined;
}

export class Rib {
  readonly attributes: AttributeTable;
  /** Its own tables', and for those about its prefixes. */
  readonly memory: TableMemory;
  readonly #peers = new PeerTable();
  readonly #store: RouteStore;
  readonly #decision: Decision;
  readonly #receiver: UpdateReceiver;
  readonly #views: PathViews;
  readonly #selected: SelectedPeers;
  readonly #walk: PeerWalk;
  readonly #reevaluation: Reevaluation;
  readonly #nextHopWalk: NextHopWalk;
  readonly #nextHops: NextHopTable;
  readonly #now: () => number;
  readonly #sinks: RibSink[] = [];
  /** Decided since the sinks were told: selections that changed, and the others when some sink asks for them. */
  readonly #changed = new PrefixList();
  readonly #unchanged = new PrefixList();
  /** Prefixes that may have no path, and by how many they are held. */
  readonly #pathless = new Map<PrefixId, number>();
  /** Prefixes without a path, held until the sinks know. */
  #emptied: PrefixId[] = [];

  constructor(options: RibOptions) {
    const { localAs, log, now = () => 0 } = options;
    this.#now = now;
    this.attributes = options.attributes ?? new AttributeTable();
    const nextHops = new NextHopTable(this.attributes, options.reachability);
    this.#nextHops = nextHops;
    const parts = { attributes: this.attributes, peers: this.#peers, nextHops };
    this.memory = options.memory ?? PLAIN_MEMORY;
    this.#store = new RouteStore(this.attributes, this.#peers, this.memory);
    this.#walk = new PeerWalk(this.#store, this.#peers);
    this.#decision = new Decision({ ...parts, paths: this.#store.paths });
    const imports = new ImportJudge(this.attributes, options, nextHops);
    this.#reevaluation = new Reevaluation({ store: this.#store, peers: this.#peers, judge: imports });
    this.#nextHopWalk = new NextHopWalk({ ...parts, store: this.#store, judge: imports });
    this.#receiver = new UpdateReceiver({ ...parts, store: this.#store, imports, log });
    this.#selected = new SelectedPeers({ ...parts, store: this.#store });
    this.#views = new PathViews({ ...parts, store: this.#store, localAs });
  }

  addSink(sink: RibSink): void {
    this.#sinks.push(sink);
  }

  /** A session came up; its index is what the other calls take. A session that comes back gets a new one. */
  addPeer(info: RibPeerInfo): PeerIndex {
    return this.#peers.add(info);
  }

  /** The peer is just back: its paths are the last choice until `settled`. To be called before they come. */
  settling(peer: PeerIndex): void {
    this.#peers.setSettling(peer, true);
  }

  isSettling(peer: PeerIndex): boolean {
    return this.#peers.settling[peer] === 1;
  }

  /** `decide` finds where the peer's paths are preferred now. */
  settled(peer: PeerIndex): void {
    if (this.#peers.settling[peer] === 0) return;
    this.#peers.setSettling(peer, false);
    this.#walk.request([{ peer, kind: 'settle', family: 0 }]);
  }

  /** Sessions are gone. Their paths stop counting at once; `decide` removes them in one walk for all. */
  removePeers(peers: readonly PeerIndex[]): void {
    const drained = peers.filter((peer) => this.#peers.drain(peer));
    this.#walk.request(drained.map((peer) => ({ peer, kind: 'remove', family: 0 })));
  }

  /**
   * The session is gone, the peer restarts (RFC 4724 section 4.2): its paths of these families become stale, all others of it
   * go. Those that still were stale go first.
   */
  retainPeer(peer: PeerIndex, families: readonly Family[]): void {
    const isStale = (family: Family) => (this.#peers.stale[peer]! & familyBit(family)) !== 0;
    for (const family of FAMILIES.filter(isStale)) this.removeStale(peer, family);
    if (FAMILIES.some(isStale)) this.#walk.run();
    for (const family of FAMILIES) {
      this.markStale(peer, family);
      this.#peers.restarted[peer]! |= familyBit(family);
    }
    for (const family of FAMILIES) if (!families.includes(family)) this.removeStale(peer, family);
  }

  /** A retained peer is back with a new session. */
  returnPeer(peer: PeerIndex, info: RibPeerInfo): void {
    this.#peers.update(peer, info);
  }

  /** Other things hold for what comes from the peer from now on; `decide` applies them to the paths that are there. */
  reevaluate(peer: PeerIndex, taken: Pick<RibPeerInfo, 'importPolicy' | 'options'>): void {
    const info = this.#peers.info(peer);
    if (!info) return;
    this.#peers.update(peer, { ...info, ...taken });
    this.#reevaluation.request(peer);
  }

  /** The host may reach next hops otherwise than before; `decide` sees to what that means for paths. */
  reachabilityChanged(): void {
    this.#nextHopWalk.request();
  }

  /** All paths of a family are stale until they are announced again (RFC 7313 section 4: the same once more if some already are). */
  markStale(peer: PeerIndex, family: Family): void {
    const bit = familyBit(family);
    if (this.#walk.removesStale(peer, bit)) this.#walk.run();
    this.#peers.restarted[peer]! &= ~bit;
    this.#peers.counters(peer).freshPrefixes[family] = 0;
    if ((this.#peers.stale[peer]! & bit) === 0) {
      this.#peers.stale[peer]! |= bit;
      this.#peers.epoch[peer]! ^= bit;
      return;
    }
    for (const id of this.prefixIds())
      if (this.isIpv6(id) === (family === 'ipv6-unicast')) this.#store.markStale(id, peer);
  }

  /** Paths that are still stale go. */
  removeStale(peer: PeerIndex, family: Family): void {
    if ((this.#peers.stale[peer]! & familyBit(family)) === 0) return;
    this.#walk.request([{ peer, kind: 'remove-stale', family: familyBit(family) }]);
  }

  /** Stale paths become long-lived stale (RFC 9494 section 4.3), or go. */
  ageStale(peer: PeerIndex, family: Family): void {
    this.#walk.request([{ peer, kind: 'age-stale', family: familyBit(family) }]);
  }

  /**
   * The body of an UPDATE (without the message header). RFC 7606 outcomes short of a reset are applied, counted and logged;
   * an error asks for the session's end. `body` is not kept.
   */
  receiveUpdate(peer: PeerIndex, body: Uint8Array): UpdateResult {
    this.#tick();
    return this.#receiver.receive(peer, body);
  }

  originate(prefix: Prefix, attributes: PathAttributes): void {
    this.#tick();
    const id = this.attributes.internValue(attributes);
    this.#store.announce(this.#store.prefixes.internPrefix(prefix), LOCAL_PEER, 0, id, ELIGIBLE);
    this.attributes.release(id);
  }

  withdrawLocal(prefix: Prefix): void {
    const id = this.#store.prefixes.find(prefix);
    if (id !== undefined) this.#store.withdraw(id, LOCAL_PEER, 0);
  }

  /**
   * Works until nothing is left or `isOver()`, which is asked after every few hundred prefixes, when the sinks have been told
   * of them. True when work remains.
   */
  decide(isOver: () => boolean): boolean {
    do {
      if (this.#store.dirty.length > 0) this.#decideSome();
      else if (this.#walk.hasWork) this.#walk.step();
      else if (this.#nextHopWalk.hasWork) this.#nextHopWalk.step();
      else if (this.#reevaluation.hasWork) this.#reevaluation.step();
      else break;
      this.#tellSinks();
    } while (!isOver());
    return this.hasWork;
  }

  get hasWork(): boolean {
    const walking = this.#walk.hasWork || this.#nextHopWalk.hasWork || this.#reevaluation.hasWork;
    return this.#store.dirty.length > 0 || walking;
  }

  /** Of all prefixes that it knows; to look at. */
  get prefixes(): PrefixTable {
    return this.#store.prefixes;
  }

  find(prefix: Prefix): PrefixId | undefined {
    return this.#store.prefixes.find(prefix);
  }

  prefixOf(id: PrefixId): Prefix {
    return this.#store.prefixes.prefixOf(id);
  }

  /** Writes 4 or 16 address octets, as many as `target` has; returns the prefix length. */
  copyAddress(id: PrefixId, target: Uint8Array): number {
    return this.#store.prefixes.copyAddress(id, target);
  }

  isIpv6(id: PrefixId): boolean {
    return this.#store.prefixes.isIpv6(id);
  }

  /** Ids of all prefixes with a path, in no order. Survives changes between two steps, of which it may or may not see the effect. */
  *prefixIds(): Generator<PrefixId> {
    for (let id = 0; id < this.#store.prefixes.end; id++)
      if (this.#store.prefixes.isUsed(id) && this.#hasPath(id)) yield id;
  }

  /** Every id in use is below this. */
  get prefixIdEnd(): number {
    return this.#store.prefixes.end;
  }

  /** Keeps an id for its prefix even when no path is left; `release` ends that. */
  hold(id: PrefixId): void {
    this.#store.prefixes.hold(id);
  }

  release(id: PrefixId): void {
    this.#store.prefixes.release(id);
    if (this.#isForgettable(id)) this.#store.prefixes.remove(id);
  }

  /** The id of a prefix that sessions are told whether or not it has a path; `releasePrefix` ends that. */
  holdPrefix(prefix: Prefix): PrefixId {
    const id = this.#store.prefixes.internPrefix(prefix);
    this.hold(id);
    this.#pathless.set(id, (this.#pathless.get(id) ?? 0) + 1);
    return id;
  }

  releasePrefix(id: PrefixId): void {
    const left = this.#pathless.get(id)! - 1;
    if (left > 0) this.#pathless.set(id, left);
    else this.#pathless.delete(id);
    this.release(id);
  }

  /** As of the last decision about the prefix. */
  selection(id: PrefixId): Selection {
    return this.#views.selection(id);
  }

  /** Both prefixes have the same selection, but for what it is called; it may be the same where this says no. Makes no values. */
  isSelectedAlike(id: PrefixId, other: PrefixId): boolean {
    return this.#views.isSelectedAlike(id, other);
  }

  /** Valid until the next call; `undefined` where the peers alone do not say where packets go. */
  selectedPeers(id: PrefixId): SelectedPeers | undefined {
    return this.#selected.read(id) ? this.#selected : undefined;
  }

  /** Changes when what is known of some peer changes. */
  get peerVersion(): number {
    return this.#peers.version;
  }

  /** The AS that originated routes with these attributes. */
  originOf(attribute: AttributeId): AsNumber {
    return this.#views.originOf(attribute);
  }

  colourOf(attribute: AttributeId): number | undefined {
    return this.#views.colourOf(attribute);
  }

  hasAigp(attribute: AttributeId): boolean {
    return (this.attributes.preference.flags[attribute]! & HAS_AIGP) !== 0;
  }

  /** Every path of the prefix with what the decision did to it. */
  explain(id: PrefixId): Explanation {
    return this.#views.explain(id);
  }

  /** Paths of a prefix, eligible or not, without making values. */
  pathCount(id: PrefixId): number {
    const { nodes } = this.#store.paths;
    let count = 0;
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      count += this.#peers.alive[nodes[base + WORD]! & PEER_MASK]!;
      next = nodes[base + NEXT]!;
    }
    return count;
  }

  /** The prefix has a path of ours, or of a neighbour outside the fabric. */
  hasPathFromOutside(id: PrefixId): boolean {
    const { nodes } = this.#store.paths;
    const { byAddress } = this.#peers;
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const peer = nodes[base + WORD]! & PEER_MASK;
      if (peer === LOCAL_PEER || byAddress[peer] === 1) return true;
      next = nodes[base + NEXT]!;
    }
    return false;
  }

  /** The best path of a prefix, without making a value; `undefined` when nothing is selected. */
  bestPath(id: PrefixId): PathIndex | undefined {
    const { nodes } = this.#store.paths;
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      if (nodes[base + WORD]! & BEST) return next - 1;
      next = nodes[base + NEXT]!;
    }
    return undefined;
  }

  /** The best path among those of one colour or of none. Only sinks with `everyChange` hear of all changes of it. */
  bestPathOf(id: PrefixId, colour: number): PathIndex | undefined {
    return this.#decision.bestOfColour(this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!, colour);
  }

  /** The eligible paths that a session with path identifiers is told (RFC 7911). Only sinks with `everyChange` hear of all changes. */
  choosePaths(id: PrefixId, question: PathQuestion, take: (path: PathIndex) => void): void {
    this.#decision.choose(this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!, question, take);
  }

  /** BGP identifiers of the peers whose paths are in the primary set. */
  primaryIdentifiers(id: PrefixId): readonly number[] {
    const { nodes } = this.#store.paths;
    const { alive, identifier } = this.#peers;
    const identifiers: number[] = [];
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const peer = nodes[base + WORD]! & PEER_MASK;
      if (nodes[base + WORD]! & PRIMARY && peer !== LOCAL_PEER && alive[peer] === 1)
        identifiers.push(identifier[peer]!);
      next = nodes[base + NEXT]!;
    }
    return identifiers;
  }

  pathPeer(path: PathIndex): PeerIndex {
    return this.#store.paths.nodes[path * PATH_WORDS + WORD]! & PEER_MASK;
  }

  receivedPathId(path: PathIndex): number {
    return this.#store.paths.pathId(path) >>> 0;
  }

  pathAttribute(path: PathIndex): AttributeId {
    return this.#store.paths.nodes[path * PATH_WORDS + ATTRIBUTE]!;
  }

  /** What it costs to reach the next hop of what a peer said: nothing on a link. */
  interiorCost(peer: PeerIndex, attribute: AttributeId): number {
    return this.#peers.routed[peer] === 0 ? 0 : this.#nextHops.cost(attribute);
  }

  /** `undefined` once the session's paths are gone, and for the local peer. */
  peer(peer: PeerIndex): RibPeerInfo | undefined {
    return this.#peers.info(peer);
  }

  /** Peers whose paths count, but the local one. */
  peers(): Iterable<PeerIndex> {
    return this.#peers.up();
  }

  counters(peer: PeerIndex): PeerCounters {
    return this.#peers.counters(peer);
  }

  /**
   * Prefixes that a peer announces in a family. While one that restarted says its routes again, what it has not said again is not
   * counted on top of what it says; a refresh that begins over and over must not make room for more.
   */
  prefixCount(peer: PeerIndex, family: Family): number {
    const { prefixes, freshPrefixes } = this.#peers.counters(peer);
    const restarted = (this.#peers.restarted[peer]! & familyBit(family)) !== 0;
    return restarted ? freshPrefixes[family] : prefixes[family];
  }

  /** Goes over all prefixes: for `show` alone. */
  census(peer: PeerIndex): PeerCensus {
    return peerCensus({ attributes: this.attributes, peers: this.#peers, store: this.#store }, peer);
  }

  totals(): RibTotals {
    return {
      prefixes: this.#store.prefixes.size - this.#withoutPath(),
      paths: this.#store.paths.size,
      accepted: this.#store.accepted,
      attributes: this.attributes.size,
      undecided: this.#store.dirty.length,
    };
  }

  #hasPath(id: PrefixId): boolean {
    return this.#store.prefixes.records[id * RECORD_WORDS + HEAD] !== 0;
  }

  /** Prefixes in the table that nobody has a route for. */
  #withoutPath(): number {
    let count = 0;
    for (const id of this.#pathless.keys()) if (!this.#hasPath(id)) count++;
    return count;
  }

  #tick(): void {
    this.#store.now = Math.floor(this.#now() / 1000);
  }

  #decideSome(): void {
    const { dirty, prefixes } = this.#store;
    const records = prefixes.records;
    const everyChange = this.#sinks.some((sink) => sink.everyChange);
    this.#decision.begin();
    for (let left = Math.min(dirty.length, DECISIONS_PER_CHECK); left > 0; left--) {
      const id = dirty.shift();
      const base = id * RECORD_WORDS;
      const head = records[base + HEAD]!;
      const touched = records[base + STATE]! & TOUCHED;
      records[base + STATE] = this.#decision.decide(head);
      if (touched !== 0 || this.#decision.changed) this.#changed.add(id);
      else if (everyChange) this.#unchanged.add(id);
      if (head !== 0) continue;
      prefixes.hold(id);
      this.#emptied.push(id);
    }
  }

  #tellSinks(): void {
    const changed = this.#changed;
    const unchanged = this.#unchanged;
    for (const sink of this.#sinks) {
      if (changed.count > 0) sink.prefixesChanged(changed.ids, changed.count);
      if (unchanged.count > 0 && sink.everyChange) sink.prefixesChanged(unchanged.ids, unchanged.count);
    }
    changed.count = 0;
    unchanged.count = 0;
    for (const id of this.#emptied) this.release(id);
    if (this.#emptied.length > 0) this.#emptied = [];
  }

  /** Without a path, a change to decide, or a holder. */
  #isForgettable(id: PrefixId): boolean {
    const { prefixes } = this.#store;
    const base = id * RECORD_WORDS;
    const idle = prefixes.records[base + HEAD] === 0 && (prefixes.records[base + STATE]! & DIRTY) === 0;
    return idle && !prefixes.isHeld(id);
  }
}
