/**
 * Sessions that are told the same. One table of what they are told, one log of encoded UPDATEs; split horizon is an audience
 * on each message (everybody but the source, or only it), the next hop a patch on the copy.
 *
 *   entry (a, P), wanted (b, Q)            messages
 *   none            -> (b, Q)              announce b to all but Q
 *   (a, P)          -> none                withdraw from all but P
 *   (a, P)          -> (b, P)              announce b to all but P
 *   (a, P)          -> (b, Q)              announce b to all but Q, withdraw from Q
 *   (a, P)          -> (a, Q)              announce a to P, withdraw from Q
 *
 * The table, the messages and what members miss go by route numbers: prefixes, or with path identifiers (RFC 7911) single paths.
 */
import { FAMILIES } from '../net/family.js';
import { isTransitAllowed } from '../policy/dpf-policy.js';
import type { AttributeId } from '../route/attribute-table.js';
import type { SendCapabilities } from './adj-rib-out-types.js';
import { AdvertisedTable } from './advertised-table.js';
import { everybodyBut, onlyTo } from './audience.js';
import { ChosenPaths, type PathSelections } from './chosen-paths.js';
import { type DefaultRoute, DefaultRoutes } from './default-routes.js';
import type { ExportScratch } from './export-scratch.js';
import type { GroupMember } from './group-member.js';
import { type LoggedMessage, MessageLog } from './message-log.js';
import { PathExport, type PathExportParts } from './path-export.js';
import type { PathNumbers } from './path-numbers.js';
import type { PathIndex } from './path-store.js';
import { type ReasonCount, ReasonCounts } from './reason-counts.js';
import type { RouteBatch } from './route-batch.js';
import type { RouteNumber, RouteNumbers } from './route-numbers.js';
import { LOCAL_PEER, type PeerIndex, type PrefixId } from './types.js';
import { UpdateWriter } from './update-writer.js';

/** Entries of a sparse table that it looks at for them. */
const WALK_SLICE = 32768;
/** RFC 7911 section 3. */
const PATH_IDENTIFIER_OCTETS = 4;

export interface GroupParts extends PathExportParts {
  readonly scratch: ExportScratch;
  readonly capabilities: SendCapabilities;
  /** Path identifiers are sent (RFC 7911): for which families, and of which paths. */
  readonly paths?: { readonly numbers: PathNumbers; readonly selections: PathSelections } | undefined;
  /** The members are told a default route of each family, whatever the RIB has. */
  readonly defaultRoute?: DefaultRoute | undefined;
  readonly logLimit: number;
  readonly tooLarge: (octets: number) => void;
}

export class ExportGroup {
  readonly members = new Set<GroupMember>();
  table: AdvertisedTable;
  /** The table does not yet cover prefixes from here on. */
  built: PrefixId = 0;
  /** The whole RIB has been gone through once. */
  isBuilt = false;
  readonly #parts: GroupParts;
  readonly #export: PathExport;
  readonly #log: MessageLog;
  readonly #batch: RouteBatch;
  readonly #writer: UpdateWriter;
  readonly #defaults: DefaultRoutes | undefined;
  /** Members that do not read the log now; they remember what changes. */
  #catchingUp: GroupMember[] = [];
  /** Routes that left the table: held until their withdrawals are encoded. */
  #departed: RouteNumber[] = [];
  /** Where messages of the writer go: to the log, or to the one member that catches up, or whose table is looked at. */
  #receiver: { readonly outbox: Uint8Array[] } | undefined;
  readonly #slice: Uint32Array;
  readonly #numbers: RouteNumbers;
  /** `undefined` where a prefix has but one path to be told. */
  readonly #chosen: ChosenPaths | undefined;

  constructor(parts: GroupParts) {
    const { rib, context, capabilities, tooLarge, paths, scratch } = parts;
    this.#parts = parts;
    this.table = new AdvertisedTable(rib.memory);
    this.#batch = scratch.batch;
    this.#slice = scratch.slice;
    this.#defaults = parts.defaultRoute && new DefaultRoutes(rib, parts.defaultRoute, context);
    this.#numbers = paths?.numbers ?? rib;
    this.#log = new MessageLog(({ routes }) => {
      for (const route of routes) this.#numbers.release(route);
    });
    const identified = paths && { numbers: paths.numbers, families: FAMILIES.filter((f) => paths.selections[f]) };
    this.#writer = new UpdateWriter({ rib, capabilities, scratch, paths: identified }, (message) =>
      this.#emit(message),
    );
    const maximum = this.#writer.maximum - (paths ? PATH_IDENTIFIER_OCTETS : 0);
    this.#export = new PathExport(parts, { fourOctetAs: capabilities.fourOctetAs, maximum, tooLarge });
    this.#chosen = this.#chosenPaths((route, prefix, path) => this.#tell(route, prefix, path));
  }

  /** Brings the table up to date for prefixes whose selection may have changed, and logs what that takes. */
  update(ids: Uint32Array, count: number): void {
    const { nextHops, logLimit } = this.#parts;
    this.#catchingUp = [...this.members].filter(({ position }) => position === undefined);
    this.#export.start();
    if (!this.isSilent) for (let i = 0; i < count; i++) this.#updateOne(ids[i]!);
    this.#batch.drain((run) => this.#writer.write(run, nextHops));
    this.#export.finish();
    for (const route of this.#departed) this.#numbers.release(route);
    this.#departed = [];
    for (const member of this.members) if (member.position !== undefined) this.#feed(member);
    if (this.#log.octets > logLimit) this.#leaveBlockedBehind();
    this.#trim();
  }

  /** Nothing is told and nothing will be: changes of routes are nothing to the group. (Every part is looked at in a rehearsal, in this order.) */
  get isSilent(): boolean {
    return this.table.size === 0 && this.#defaults === undefined && this.#parts.context.policy?.rejectsAll === true;
  }

  /** Its members are told of no prefix that has no path from outside the fabric. */
  get isClosed(): boolean {
    const { context, paths } = this.#parts;
    return !paths && !this.#defaults && !isTransitAllowed({ source: 'external' }, context);
  }

  /** A member that starts before there is anything in the table needs only read along. */
  add(member: GroupMember): void {
    this.members.add(member);
    if (this.table.size === 0) member.readAlong(this.#log.end);
  }

  /** The member takes the whole table again. */
  restart(member: GroupMember, done?: () => void): void {
    this.#rememberUnread(member);
    member.restart(done);
  }

  /**
   * Takes members of another group over, with all that they have been told. What differs here is found as the table is gone
   * through again, and they are told no more than that.
   */
  inherit(from: ExportGroup, members: readonly GroupMember[]): void {
    this.table = from.#tableFor(members);
    for (const member of members) {
      from.#rememberUnread(member);
      if (member.position !== undefined) member.fallBehind();
      from.members.delete(member);
      this.members.add(member);
    }
    from.#trim();
  }

  remove(member: GroupMember): void {
    this.members.delete(member);
    for (let count = this.#takeMissed(member); count > 0; count = this.#takeMissed(member)) this.#releaseSlice(count);
    this.#trim();
    if (this.members.size === 0) this.#clear();
  }

  /** Sends what a member has not got yet, up to one slice. True when it can be called again at once. */
  feed(member: GroupMember): boolean {
    const more = this.#feed(member);
    this.#trim();
    return more;
  }

  /** The members may be told several paths of a prefix. */
  get sendsPaths(): boolean {
    return this.#chosen !== undefined;
  }

  /** What the member is told of the routes from `first` on, a slice of them, as the UPDATEs that say it. */
  encode(
    member: GroupMember,
    first: RouteNumber,
  ): { readonly updates: readonly Uint8Array[]; readonly next: RouteNumber } {
    const outbox: Uint8Array[] = [];
    const next = Math.min(this.table.end, first + this.#slice.length);
    for (let route = first; route < next; route++) this.#addTold(member, route);
    this.#receiver = { outbox };
    this.#batch.drain((run) => this.#writer.write(run, member.nextHops));
    this.#receiver = undefined;
    return { updates: outbox, next };
  }

  #addTold(member: GroupMember, route: RouteNumber): void {
    if (!this.table.isToldTo(member.peer, route)) return;
    const audience = onlyTo(member.peer);
    this.#batch.add(route, this.table.attribute(route), audience, this.#numbers.isIpv6(route));
  }

  /** What the member is not told, by reason; goes over all prefixes, for `show` alone. */
  withheld(member: GroupMember): readonly ReasonCount[] {
    const { rib, context } = this.#parts;
    const counts = new ReasonCounts();
    const visit = (route: RouteNumber, id: PrefixId, path: PathIndex | undefined) => {
      if (this.table.isToldTo(member.peer, route)) return;
      if (path !== undefined) counts.add(this.#export.withheldReason(member, id, path));
      else if (!this.#chosen && rib.bestPath(id) !== undefined) counts.add(`no path of colour ${context.colour}`);
    };
    const chosen = this.#chosenPaths(visit);
    for (const id of rib.prefixIds()) {
      if (this.#defaults?.has(id)) continue;
      if (chosen) chosen.visit(id);
      else visit(id, id, this.#export.chosenPath(id));
    }
    return counts.list();
  }

  #feed(member: GroupMember): boolean {
    while (member.outbox.length > 0 && !member.blocked) member.send(member.outbox.shift()!);
    if (member.blocked) return false;
    if (member.position === undefined) return this.#catchUp(member);
    while (member.position < this.#log.end && !member.blocked) {
      const message = this.#log.at(member.position++);
      if (member.isAudience(message)) member.sendShared(message);
    }
    if (!member.blocked && this.isBuilt) member.sendEndOfRib();
    return false;
  }

  #updateOne(id: PrefixId): void {
    if (this.#defaults?.has(id)) this.#tellDefault(this.#defaults, id);
    else if (this.#chosen) this.#tellChosen(this.#chosen, id);
    else this.#tell(id, id, this.#export.chosenPath(id));
  }

  /** A default route of ours goes by the number of the prefix as a whole, where paths have numbers. */
  #tellDefault(defaults: DefaultRoutes, id: PrefixId): void {
    const { rib, nextHops, paths } = this.#parts;
    const told = nextHops[rib.isIpv6(id) ? 'ipv6-unicast' : 'ipv4-unicast'] && defaults.attribute(id);
    if (!paths) return this.#change(id, told, LOCAL_PEER);
    for (const route of paths.numbers.of(id)) this.#change(route, undefined, LOCAL_PEER);
    const whole = paths.numbers.whole(id);
    this.#change(whole, told, LOCAL_PEER);
    paths.numbers.forgetUnheld(whole);
  }

  /** A default route that the members were told before goes, in a family whose paths have identifiers. */
  #tellChosen(chosen: ChosenPaths, id: PrefixId): void {
    const { rib, paths } = this.#parts;
    const identified = paths?.selections[rib.isIpv6(id) ? 'ipv6-unicast' : 'ipv4-unicast'];
    if (identified && paths.numbers.hasWhole(id)) this.#change(paths.numbers.whole(id), undefined, LOCAL_PEER);
    chosen.visit(id);
  }

  /** Its default routes are needed no more. */
  close(): void {
    this.#defaults?.close();
  }

  #chosenPaths(
    visit: (route: RouteNumber, prefix: PrefixId, path: PathIndex | undefined) => void,
  ): ChosenPaths | undefined {
    const { rib, context, paths } = this.#parts;
    if (!paths) return undefined;
    const colour = context.sessionColours ? context.colour : undefined;
    return new ChosenPaths({ rib, ...paths, colour, only: (prefix) => this.#export.chosenPath(prefix), visit });
  }

  /** The members are told of a route what this path of its prefix says, if any. */
  #tell(route: RouteNumber, prefix: PrefixId, path: PathIndex | undefined): void {
    const { rib } = this.#parts;
    if (path === undefined) return this.#change(route, undefined, LOCAL_PEER);
    const source = rib.pathPeer(path);
    this.#change(route, this.#export.attribute(prefix, path, source), source);
  }

  #change(route: RouteNumber, wanted: AttributeId | undefined, source: PeerIndex): void {
    const { table } = this;
    const { rib } = this.#parts;
    const old = table.attribute(route);
    const oldSource = old === undefined ? LOCAL_PEER : table.source(route);
    if (wanted === old && (old === undefined || source === oldSource)) return;
    if (old === undefined) this.#numbers.hold(route);
    if (wanted === undefined) {
      table.delete(route);
      this.#departed.push(route);
    } else {
      rib.attributes.acquire(wanted);
      table.set(route, wanted, source);
    }
    if (old !== undefined) rib.attributes.release(old);
    for (const member of this.#catchingUp) {
      const { peer } = member;
      // What came from it, and took nobody's place, is nothing to it: a withdrawal would be one of what it was not told.
      const isToldOf = (old !== undefined && oldSource !== peer) || (wanted !== undefined && source !== peer);
      if (isToldOf && member.miss(route)) this.#numbers.hold(route);
    }
    if (this.#catchingUp.length === this.members.size) return;
    const ipv6 = this.#numbers.isIpv6(route);
    if (wanted !== old) this.#batch.add(route, wanted, everybodyBut(wanted === undefined ? oldSource : source), ipv6);
    if (old === undefined || wanted === undefined || source === oldSource) return;
    if (wanted === old) this.#batch.add(route, wanted, onlyTo(oldSource), ipv6);
    this.#batch.add(route, undefined, onlyTo(source), ipv6);
  }

  #catchUp(member: GroupMember): boolean {
    const { table } = this;
    const walked = member.walk < table.end;
    const count = walked ? this.#walkOn(member) : this.#takeMissed(member);
    if (count === 0 && !walked) {
      member.readAlong(this.#log.end);
      return this.#feed(member);
    }
    const audience = onlyTo(member.peer);
    for (let i = 0; i < count; i++) {
      const id = this.#slice[i]!;
      const attribute = table.isToldTo(member.peer, id) ? table.attribute(id) : undefined;
      this.#batch.add(id, attribute, audience, this.#numbers.isIpv6(id));
    }
    this.#receiver = member;
    this.#batch.drain((run) => this.#writer.write(run, member.nextHops));
    this.#receiver = undefined;
    if (!walked) this.#releaseSlice(count);
    while (member.outbox.length > 0 && !member.blocked) member.send(member.outbox.shift()!);
    return !member.blocked;
  }

  /** Puts the next prefixes of the table that the member is told into the slice. */
  #walkOn(member: GroupMember): number {
    const end = Math.min(this.table.end, member.walk + WALK_SLICE);
    let count = 0;
    while (member.walk < end && count < this.#slice.length) {
      const id = member.walk++;
      if (this.table.isToldTo(member.peer, id)) this.#slice[count++] = id;
    }
    return count;
  }

  #takeMissed(member: GroupMember): number {
    return member.missed.take(this.#slice);
  }

  #releaseSlice(count: number): void {
    for (let i = 0; i < count; i++) this.#numbers.release(this.#slice[i]!);
  }

  #emit(message: LoggedMessage): void {
    if (this.#receiver) {
      this.#receiver.outbox.push(message.bytes);
      return;
    }
    for (const route of message.routes) this.#numbers.hold(route);
    this.#log.append(message);
  }

  /** Members that do not read must not keep the log: they catch up from the table when they read again. */
  #leaveBlockedBehind(): void {
    for (const member of this.members) {
      if (!member.blocked || member.position === undefined) continue;
      this.#rememberUnread(member);
      member.fallBehind();
    }
  }

  #rememberUnread(member: GroupMember): void {
    for (let at = member.position ?? this.#log.end; at < this.#log.end; at++) {
      const message = this.#log.at(at);
      if (!member.isAudience(message)) continue;
      for (const route of message.routes) if (member.missed.add(route)) this.#numbers.hold(route);
    }
  }

  /** The table itself for those who are all there are; else a copy, with references of its own. */
  #tableFor(members: readonly GroupMember[]): AdvertisedTable {
    const { rib } = this.#parts;
    const given = this.table;
    if (members.length === this.members.size) {
      this.table = new AdvertisedTable(rib.memory);
      return given;
    }
    for (let id = 0; id < given.end; id++) {
      const attribute = given.attribute(id);
      if (attribute === undefined) continue;
      rib.attributes.acquire(attribute);
      this.#numbers.hold(id);
    }
    return given.copy();
  }

  /** Drops messages that everybody has. */
  #trim(): void {
    let needed = this.#log.end;
    for (const { position } of this.members) if (position !== undefined && position < needed) needed = position;
    this.#log.trim(needed);
  }

  #clear(): void {
    const { rib } = this.#parts;
    for (let id = 0; id < this.table.end; id++) {
      const attribute = this.table.attribute(id);
      if (attribute === undefined) continue;
      this.table.delete(id);
      rib.attributes.release(attribute);
      this.#numbers.release(id);
    }
  }
}
