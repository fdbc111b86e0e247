/**
 * Adj-RIBs-Out (RFC 4271 section 9.2): what each session is told of the selected routes. Sessions with the same export
 * context share a group, which encodes every UPDATE once. Work is done in slices by `pump`; a session that does not read
 * holds up nobody. KEEPALIVEs are sent elsewhere and never wait for this.
 */
import { FAMILIES } from '../net/family.js';
import type { ExportContext } from '../policy/export-context.js';
import { mayKeepNextHop } from '../policy/export-next-hop.js';
import { exportOptionsKey } from '../policy/export-options-key.js';
import { hex } from '../wire/bgp/octets.js';
import type { AdjRibOutCounters, AdjRibOutMember, AdjRibOutOptions, ExportSettings } from './adj-rib-out-types.js';
import { ExportCache } from './export-cache.js';
import { ExportGroup } from './export-group.js';
import { ExportScratch } from './export-scratch.js';
import { GroupMember } from './group-member.js';
import { PathNumbers } from './path-numbers.js';
import { PrefixSet } from './prefix-set.js';
import type { ReasonCount } from './reason-counts.js';
import type { Rib } from './rib.js';
import type { PeerIndex, PrefixId, RibSink } from './types.js';

/** Prefixes that a group is brought up to date with at a time. */
const SLICE = 4096;
const DEFAULT_LOG_LIMIT = 1 << 20;

interface Place {
  group: ExportGroup;
  readonly member: GroupMember;
  session: AdjRibOutMember;
}

export class AdjRibOut implements RibSink {
  readonly #rib: Rib;
  readonly #options: AdjRibOutOptions;
  readonly #cache: ExportCache;
  readonly #scratch = new ExportScratch();
  readonly #groups = new Map<string, ExportGroup>();
  readonly #places = new Map<PeerIndex, Place>();
  /** Of the paths told in groups with path identifiers. */
  readonly #pathNumbers: PathNumbers;
  /** Groups made when policies changed. */
  #moved = 0;
  /** Prefixes whose selection changed since the groups last looked. */
  readonly #pending = new PrefixSet();
  readonly #slice = new Uint32Array(SLICE);
  #sliceCount = 0;
  /** Groups that have not seen the current slice. */
  #behind: ExportGroup[] = [];
  /** Members that may have something to be sent. */
  readonly #ready = new Set<Place>();
  readonly #buildSlice = new Uint32Array(SLICE);

  /** Hears of changes once it is a sink of `rib`. */
  constructor(rib: Rib, options: AdjRibOutOptions) {
    this.#rib = rib;
    this.#options = options;
    this.#cache = new ExportCache(rib);
    this.#pathNumbers = new PathNumbers(rib);
  }

  /** The best path of a colour, and paths behind the best one, change without a change of the selection. */
  get everyChange(): boolean {
    if (this.#options.sessionColours) return true;
    for (const group of this.#groups.values()) if (group.sendsPaths) return true;
    return false;
  }

  prefixesChanged(ids: Uint32Array, count: number): void {
    if (!this.#isHeard()) return;
    const groups = [...this.#groups.values()];
    const isClosed = groups.every((group) => group.isClosed);
    for (let i = 0; i < count; i++) if (!isClosed || this.#mayBeTold(ids[i]!, groups)) this.#pending.add(ids[i]!);
  }

  /**
   * Where nobody is told what the fabric says. A leaf has a group for each uplink, and nearly all that it knows is for none of them:
   * to ask each of 64 groups about it took as long as deciding it.
   */
  #mayBeTold(id: PrefixId, groups: readonly ExportGroup[]): boolean {
    return this.#rib.hasPathFromOutside(id) || groups.some(({ table }) => table.attribute(id) !== undefined);
  }

  /** The session is up: `pump` sends it the table, then End-of-RIB for each family, then what changes. */
  join(session: AdjRibOutMember): void {
    this.leave(session.peer);
    const member = new GroupMember(session);
    const group = this.#groupOf(session, member);
    const place = { group, member, session };
    group.add(member);
    this.#places.set(session.peer, place);
    this.#ready.add(place);
  }

  leave(peer: PeerIndex): void {
    const place = this.#places.get(peer);
    if (!place) return;
    this.#places.delete(peer);
    this.#ready.delete(place);
    place.group.remove(place.member);
    this.#forgetEmpty(place.group);
  }

  /** Other things hold for what sessions are told from now on; `pump` goes through the table again and sends what that changes. */
  changeSessions(changes: ReadonlyMap<PeerIndex, ExportSettings>): void {
    const moves = new Map<ExportGroup, Map<string, Place[]>>();
    for (const [peer, settings] of changes) {
      const place = this.#places.get(peer);
      if (!place) continue;
      const session = { ...place.session, ...settings };
      const key = this.#keyOf(session, place.member);
      if (key === this.#keyOf(place.session, place.member)) continue;
      place.session = session;
      const targets = moves.get(place.group) ?? new Map<string, Place[]>();
      moves.set(place.group, targets.set(key, [...(targets.get(key) ?? []), place]));
    }
    for (const [from, targets] of moves) for (const [key, places] of targets) this.#move(from, key, places);
  }

  #move(from: ExportGroup, key: string, places: readonly Place[]): void {
    const group = this.#newGroup(places[0]!.session, places[0]!.member);
    group.inherit(
      from,
      places.map(({ member }) => member),
    );
    for (const place of places) {
      place.group = group;
      this.#ready.add(place);
    }
    // Sessions that come later join the first group of this kind; this one stays for those who were told something else before.
    this.#groups.set(this.#groups.has(key) ? `${key}|${++this.#moved}` : key, group);
    this.#forgetEmpty(from);
  }

  #forgetEmpty(empty: ExportGroup): void {
    if (empty.members.size > 0) return;
    for (const [key, group] of this.#groups) if (group === empty) this.#groups.delete(key);
    this.#behind = this.#behind.filter((group) => group !== empty);
    empty.close();
  }

  /** The session takes messages again; `pump` goes on with it. */
  resume(peer: PeerIndex): void {
    const place = this.#places.get(peer);
    if (!place) return;
    place.member.blocked = false;
    this.#ready.add(place);
  }

  /** RFC 2918: sends the whole table again; `done` is called behind its last message (RFC 7313 section 4: the place for EoRR). */
  refresh(peer: PeerIndex, done?: () => void): void {
    const place = this.#places.get(peer);
    if (!place) return;
    place.group.restart(place.member, done);
    this.#ready.add(place);
  }

  /** At once, or when the first table and the End-of-RIB behind it are sent. */
  afterEndOfRib(peer: PeerIndex, action: () => void): void {
    this.#places.get(peer)?.member.afterEndOfRib(action);
  }

  /** Works until nothing is left that can be done or `isOver()`. True when work remains. */
  pump(isOver: () => boolean): boolean {
    do {
      const updated = this.#updateSome();
      const fed = this.#feedSome();
      if (!updated && !fed) return false;
    } while (!isOver());
    return this.hasWork;
  }

  /** Something can be done without waiting for a session. */
  get hasWork(): boolean {
    if (this.#pending.size > 0 || this.#behind.length > 0 || this.#ready.size > 0) return true;
    for (const group of this.#groups.values()) if (!group.isBuilt) return true;
    return false;
  }

  counters(peer: PeerIndex): AdjRibOutCounters {
    const place = this.#places.get(peer);
    if (!place) return { advertised: 0, updates: 0 };
    return { advertised: place.group.table.countToldTo(peer), updates: place.member.updates };
  }

  /** All that a member is told, as the UPDATEs that say it, slice by slice; what changes meanwhile may be in it or not. */
  *told(peer: PeerIndex): Generator<readonly Uint8Array[]> {
    for (let at = 0; ; ) {
      const place = this.#places.get(peer);
      if (!place || at >= place.group.table.end) return;
      const { updates, next } = place.group.encode(place.member, at);
      yield updates;
      at = next;
    }
  }

  /** What a member is not told, by reason; goes over all prefixes. */
  withheld(peer: PeerIndex): readonly ReasonCount[] {
    const place = this.#places.get(peer);
    return place ? place.group.withheld(place.member) : [];
  }

  #isHeard(): boolean {
    for (const group of this.#groups.values()) if (!group.isSilent) return true;
    return false;
  }

  /** One slice of changes for one group, or one slice of a group's first table. */
  #updateSome(): boolean {
    if (this.#behind.length === 0 && this.#pending.size > 0) {
      this.#sliceCount = this.#pending.take(this.#slice);
      this.#behind = [...this.#groups.values()];
    }
    const group = this.#behind.pop();
    if (group) {
      group.update(this.#slice, this.#sliceCount);
      return true;
    }
    for (const unbuilt of this.#groups.values()) {
      if (unbuilt.isBuilt) continue;
      this.#build(unbuilt);
      return true;
    }
    return false;
  }

  #build(group: ExportGroup): void {
    const end = Math.min(group.built + SLICE, this.#rib.prefixIdEnd);
    let count = 0;
    while (group.built < end) this.#buildSlice[count++] = group.built++;
    group.isBuilt = group.built >= this.#rib.prefixIdEnd;
    group.update(this.#buildSlice, count);
  }

  /** Gives one member its next messages. */
  #feedSome(): boolean {
    for (const place of this.#ready) {
      this.#ready.delete(place);
      // Behind the others, so that a long table does not keep them waiting.
      if (place.group.feed(place.member)) this.#ready.add(place);
      return true;
    }
    return false;
  }

  #groupOf(session: AdjRibOutMember, member: GroupMember): ExportGroup {
    const key = this.#keyOf(session, member);
    const found = this.#groups.get(key);
    if (found) return found;
    const group = this.#newGroup(session, member);
    this.#groups.set(key, group);
    return group;
  }

  #newGroup(session: AdjRibOutMember, member: GroupMember): ExportGroup {
    return new ExportGroup({
      rib: this.#rib,
      cache: this.#cache,
      scratch: this.#scratch,
      context: this.#contextOf(session),
      capabilities: session.capabilities,
      nextHops: member.nextHops,
      paths: session.addPath && { numbers: this.#pathNumbers, selections: session.addPath },
      ...this.#identifier(),
      defaultRoute: session.defaultRoute,
      logLimit: this.#options.logLimit ?? DEFAULT_LOG_LIMIT,
      tooLarge: (octets) => this.#warnTooLarge(octets),
    });
  }

  #identifier(): { readonly identifier?: number } {
    const identifier = this.#options.nextNextHopIdentifier;
    return identifier === undefined ? {} : { identifier };
  }

  /** NNHN names the next hop, so that sessions with different ones share nothing. */
  #keyOf(session: AdjRibOutMember, member: GroupMember): string {
    const key = groupKey(session, member);
    if (this.#options.nextNextHopIdentifier === undefined) return key;
    const { 'ipv4-unicast': ipv4, 'ipv6-unicast': ipv6 } = member.nextHops;
    return `${key}|${ipv4 && hex(ipv4)}|${ipv6 && hex(ipv6)}`;
  }

  #contextOf(session: AdjRibOutMember): ExportContext {
    const { localAs, role, aigpOrigin, aigpStep, sessionColours = false } = this.#options;
    const { external, sendColour, aigp, colour, takesLongLivedStale = false, exportPolicy: policy } = session;
    const own = { localAs, role, aigpOrigin, aigpStep, sessionColours };
    const context = { ...own, external, sendColour, aigp, takesLongLivedStale, policy };
    const { linkBandwidth, options, byAddress = false, remoteAs } = session;
    const { clusterId } = this.#options;
    return {
      ...context,
      options,
      byAddress,
      ...(remoteAs === undefined ? {} : { remoteAs }),
      ...(clusterId === undefined ? {} : { clusterId }),
      ...(colour === undefined ? {} : { colour }),
      ...(linkBandwidth === undefined ? {} : { linkBandwidth }),
    };
  }

  #warnTooLarge(octets: number): void {
    const message = `path attributes of ${octets} octets fit in no UPDATE: the routes are not advertised`;
    this.#options.log?.write({ level: 'warn', topic: 'rib', message });
  }
}

/** Everything that the octets of an UPDATE, or the choice of what to send, depend on; the next hop only by its length. */
function groupKey(session: AdjRibOutMember, { nextHops }: GroupMember): string {
  const { external, colour, sendColour, aigp, linkBandwidth, takesLongLivedStale, capabilities } = session;
  const { fourOctetAs, extendedMessage } = capabilities;
  const lengths = [nextHops['ipv4-unicast']?.length, nextHops['ipv6-unicast']?.length];
  const shape = [
    external,
    colour,
    sendColour,
    aigp,
    linkBandwidth,
    takesLongLivedStale,
    fourOctetAs,
    extendedMessage,
    ...lengths,
  ];
  return [...shape, ...addPathKey(session), ...policyKey(session), ...optionsKey(session)].join('|');
}

function addPathKey({ addPath }: AdjRibOutMember): readonly unknown[] {
  return addPath ? FAMILIES.map((family) => JSON.stringify(addPath[family])) : [];
}

function optionsKey({ defaultRoute, ...session }: AdjRibOutMember): readonly unknown[] {
  return [exportOptionsKey(session), defaultRoute && `default ${defaultRoute.policy?.key ?? ''}`];
}

/** A next hop that is not ours is written as the session's capabilities allow. */
function policyKey(session: AdjRibOutMember): readonly unknown[] {
  const { exportPolicy, defaultRoute, capabilities } = session;
  if (!exportPolicy && !defaultRoute?.policy && !mayKeepNextHop(session)) return [];
  return [exportPolicy?.key, capabilities.linkLocalNextHop, capabilities.extendedNextHop.length];
}
