/**
 * The FIB: what forwarding wants, kept in the kernel. Every prefix has two routes: metric 20 to the group of its primary
 * next hops and, when there is a fallback, metric 30 to the group of those, which the kernel falls through to by itself
 * when the primary's link dies.
 *
 * The records say what is wanted and what the kernel is believed to have; `flush` writes the difference, one batch at a
 * time, always the most urgent first:
 *
 *   dead objects of links that went down -> next hops -> groups -> routes -> obsolete routes -> groups -> next hops
 *
 * So nothing is used before it is there, and nothing goes before its replacement is in. Belief changes when a batch is sent
 * and a failure takes it back; link changes and kernel events correct it in between; a dump replaces it when it turns
 * out to be wrong (unexpected refusal, lost events).
 */
import type { Address } from '../net/address.js';
import type { Prefix } from '../net/prefix.js';
import type { Clock } from '../ports/clock.js';
import type { EventLog } from '../ports/event-log.js';
import type {
  DumpScope,
  ForeignObject,
  KernelEvent,
  KernelFailure,
  KernelOperation,
  KernelTables,
  NextHopId,
} from '../ports/kernel-tables.js';
import type { PrefixTable } from '../rib/prefix-table.js';
import { type ClassEntry, ForwardingClasses } from './classes.js';
import { type ColourUse, colourUse } from './colour-use.js';
import { FibLog, NO_RESILIENT_GROUPS } from './fib-log.js';
import { FibTimers } from './fib-timers.js';
import { type FibEntryView, viewOf } from './fib-view.js';
import { ForeignObjects } from './foreign-objects.js';
import { type Batch, BatchBuilder, type ClassSpec, type Tiers } from './forwarding-objects.js';
import { Groups } from './groups.js';
import { type FibComparison, Inspector } from './inspector.js';
import { MemberSets } from './member-sets.js';
import { NextHops } from './next-hops.js';
import { ADOPTED, type PrefixNumber, PrefixRecords } from './prefix-records.js';
import { Routes } from './routes.js';
import type { BalancedGroup, BalancedMember, ForwardingEntry } from './types.js';

export interface FibOptions {
  readonly tables: KernelTables;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly config: {
    /** Buckets of a resilient group. */
    readonly buckets: number;
    /** Seconds a bucket must be idle before it moves. */
    readonly idleTimer: number;
    /** Groups that keep every flow where its hash puts it, in place of resilient ones. */
    readonly plainGroups?: boolean;
  };
  /** Called whenever the kernel has answered all there was to write. */
  readonly settled?: () => void;
}

export interface FibCounters {
  readonly prefixes: number;
  /** Prefixes whose routes wait to be written. */
  readonly waiting: number;
  readonly nextHops: number;
  readonly groups: number;
  readonly routes: number;
  /** Prefixes with a route that the kernel refused. */
  readonly failed: number;
  /** Operations sent to the kernel. */
  readonly operations: number;
  /** Those of them that put something into the kernel, in all and by what it was. */
  readonly writes: number;
  readonly written: Readonly<Written>;
  /** Groups whose members were replaced in place. */
  readonly groupReplacements: number;
  /** Dumps taken to correct the picture. */
  readonly resyncs: number;
  /** What other programs did to objects of ours, each put right after that. */
  readonly outsideChanges: Readonly<OutsideChanges>;
  /** Operations that the kernel refused, tried again later. */
  readonly refusals: number;
}

export type ForwardingWay = ClassSpec;
export type { Tiers };

/** Objects put into the kernel, those replaced included. */
export interface Written {
  nextHops: number;
  groups: number;
  routes: number;
}

export interface OutsideChanges {
  routesDeleted: number;
  routesReplaced: number;
  /** Next hops and groups. */
  nextHopsDeleted: number;
}

/** Milliseconds that changes wait for more of the same event, if so many slices have come: a busy machine gives us time late. */
const LONGEST_HOLD = 100;
const FEWEST_SLICES = 8;
/** Prefixes that change their group in one go when equal classes are joined. */
const JOIN_STEP = 4096;

/** Refusals that mean: the kernel is not as believed. */
const SURPRISES = new Set(['EEXIST', 'ENOENT', 'ESRCH', 'EINVAL']);

export class Fib {
  /** Plain groups because they are asked for, or because the kernel has no others. */
  readonly groupKind: 'resilient' | 'plain' | 'plain-by-kernel';
  private readonly log: FibLog;
  private readonly nextHops: NextHops;
  private readonly sets: MemberSets;
  private readonly groups: Groups;
  private readonly records = new PrefixRecords();
  private readonly routes: Routes;
  private readonly classes: ForwardingClasses;
  private readonly foreignObjects: ForeignObjects;
  private readonly inspector: Inspector;
  /** Objects that died with a link, deleted once more in case the kernel sees it otherwise. */
  private readonly condemned = new Set<NextHopId>();
  /** Next hops found in the kernel that are of no use. */
  private readonly leftover = new Set<NextHopId>();
  private suspected: DumpScope | undefined;
  /** What is written now, or was last. */
  private running = Promise.resolve();
  private isWriting = false;
  private started = false;
  private stopped = false;
  /** True from the start to the sweep: what was found and is not wanted stays. */
  private adopting = true;
  private linkChanges = 0;
  private operations = 0;
  private readonly written: Written = { nextHops: 0, groups: 0, routes: 0 };
  private resyncs = 0;
  private readonly outsideChanges: OutsideChanges = { routesDeleted: 0, routesReplaced: 0, nextHopsDeleted: 0 };
  private refusals = 0;
  private scheduled = false;
  /** Load balancing asks ten times a second: kept while nothing is to change, and used only then. */
  private balanced: readonly BalancedGroup[] | undefined;
  private readonly timers: FibTimers;
  private hold: { readonly since: number; slices: number } | undefined;
  private unwatch: (() => void) | undefined;

  constructor(private readonly options: FibOptions) {
    const { config, tables, clock } = options;
    this.log = new FibLog(options.log);
    this.foreignObjects = new ForeignObjects((level, message) => this.log.say(level, message));
    const isForeign = (id: NextHopId) => this.foreignObjects.hasId(id);
    const { buckets, idleTimer, plainGroups = false } = config;
    this.groupKind = plainGroups ? 'plain' : tables.resilientGroups ? 'resilient' : 'plain-by-kernel';
    const resilient = this.groupKind === 'resilient' ? { buckets, idleTimer, unbalancedTimer: 0 } : undefined;
    this.nextHops = new NextHops({
      changed: (nextHop) => this.groups.nextHopChanged(nextHop),
      lost: (id) => {
        for (const group of this.groups.nextHopLost(id)) this.condemned.add(group);
      },
      forgotten: () => this.sets.forgetUnused(),
      isForeign,
    });
    this.sets = new MemberSets(this.nextHops);
    this.groups = new Groups(resilient, this.sets, {
      created: (owner) => {
        for (const prefix of this.records.members(owner)) this.routes.touch(prefix);
      },
      isForeign,
    });
    this.routes = new Routes(this.records, this.groups);
    const touch = (prefix: PrefixNumber) => this.routes.touch(prefix);
    this.classes = new ForwardingClasses(this.records, this.sets, this.groups, touch);
    const { records, nextHops, groups, routes, classes } = this;
    this.timers = new FibTimers(clock, {
      audit: (full) => this.audit(full),
      retry: () => this.retry(),
      tidy: () => this.tidy(),
    });
    const isAdopting = () => this.adopting;
    const isDoomed = (id: NextHopId) => this.condemned.has(id) || this.leftover.has(id);
    this.inspector = new Inspector({
      tables,
      clock,
      picture: { records, nextHops, groups, routes, classes, isAdopting, isDoomed },
      found: (foreign) => this.foreignObjects.update(foreign, 'with-foreign'),
      lost: () => {
        this.suspected = 'everything';
        this.schedule();
      },
    });
  }

  /** Takes over what an earlier run left in the kernel; it stays until it is wanted otherwise, or until `sweep`. */
  async start(): Promise<void> {
    const { tables } = this.options;
    if (this.groupKind === 'plain-by-kernel') this.log.say('warn', `plain next-hop groups: ${NO_RESILIENT_GROUPS}`);
    this.unwatch = tables.watch((event) => this.kernelEvent(event));
    const snapshot = await tables.dump('everything');
    this.foreignObjects.update(snapshot.foreign, 'everything');
    for (const nextHop of snapshot.nextHops) if (!this.nextHops.adopt(nextHop)) this.leftover.add(nextHop.id);
    this.groups.reconcile(snapshot.groups, true);
    this.routes.reconcile(snapshot.routes, true);
    this.started = true;
    this.schedule();
    this.timers.start();
  }

  /**
   * Also replaces the prefix's earlier entry. An entry without next hops is no entry. False while the kernel has no route for the
   * prefix and one is to come.
   */
  want(entry: ForwardingEntry): boolean {
    const tiers = this.tiers(entry);
    const way = tiers && this.way(entry, tiers);
    if (!way) this.unwant(entry.prefix);
    return way === undefined || this.place(this.records.obtain(entry.prefix), way);
  }

  unwant(prefix: Prefix): void {
    const found = this.records.find(prefix);
    if (found !== undefined) this.place(found, undefined);
  }

  /** Next hops as sets, for `way`, as long as `tiersVersion` is the same; `undefined` where there are none. */
  tiers(nextHops: Pick<ForwardingEntry, 'primary' | 'fallback'>): Tiers | undefined {
    return nextHops.primary.length + nextHops.fallback.length > 0 ? this.classes.tiersOf(nextHops) : undefined;
  }

  get tiersVersion(): number {
    return this.sets.version;
  }

  /** What prefixes with equal entries have in common, for `wantSame`, to be used before others have a turn. */
  way(entry: ClassEntry, tiers: Tiers): ForwardingWay {
    return this.classes.specOf(entry, tiers);
  }

  /** As `want` and, without a way, `unwant`, for a prefix by its number in another table: nothing is made for a prefix. */
  wantSame(prefixes: PrefixTable, id: number, way: ForwardingWay | undefined): boolean {
    if (way) return this.place(this.records.obtainSame(prefixes, id), way);
    const found = this.records.findSame(prefixes, id);
    return found === undefined || this.place(found, undefined);
  }

  /**
   * To be told after each slice of one event's changes whether there are more: those made so far wait for the rest, 100 ms or eight
   * slices, whichever is longer, so that a class whose prefixes come in several slices still moves as a whole. True while they wait; else
   * the kernel has the first of them when this returns. Links and repairs do not wait.
   */
  moreToCome(more: boolean): boolean {
    if (this.stopped) return false;
    if (more && this.waitsForMore()) return true;
    const isPending = this.hold !== undefined || this.scheduled;
    this.hold = undefined;
    if (isPending) void this.run();
    return false;
  }

  /** Carrier lost, interface down or deleted: its next hops are dead, and so are groups that had no others. */
  linkDown(interfaceIndex: number): void {
    this.linkChanges++;
    for (const id of this.nextHops.linkDown(interfaceIndex)) this.condemned.add(id);
    // IPv4 routes of others go with a link in silence: what they were in the way of has room now.
    this.routes.retryFailures();
    this.schedule();
  }

  linkUp(interfaceIndex: number): void {
    this.linkChanges++;
    this.nextHops.linkUp(interfaceIndex);
    this.schedule();
  }

  /**
   * The neighbour behind a link that is up does not forward any more. All that goes over it goes over a member of the set
   * behind it from now on, by one write, until the tables have found where each prefix goes.
   */
  neighbourFailed(interfaceIndex: number, gateway: Address): void {
    const failed = this.nextHops.find(interfaceIndex, gateway);
    const standIn = failed && this.groups.standInFor(failed);
    if (!standIn) return;
    this.nextHops.divert(failed, standIn);
    this.schedule();
  }

  neighbourBack(interfaceIndex: number, gateway: Address): void {
    const back = this.nextHops.find(interfaceIndex, gateway);
    if (!back?.standIn) return;
    this.nextHops.restore(back);
    this.schedule();
  }

  /**
   * The tables have found where each prefix goes after all failures told so far. What goes over such a neighbour even now, for
   * somebody else names it as next hop, does so again as soon as the rest is written.
   */
  tablesFollowed(): void {
    if (!this.nextHops.hasDiverted) return;
    this.nextHops.tablesFollowed();
    this.schedule();
  }

  /** Writes what is to be written, at once. Resolves when the kernel has answered all of it, later changes included. */
  flush(): Promise<void> {
    this.moreToCome(false);
    return this.run();
  }

  /** End of initial convergence: deletes what was taken over and is not wanted: routes, then groups, then next hops. */
  sweep(): Promise<void> {
    this.adopting = false;
    this.routes.sweep();
    this.groups.sweep();
    return this.flush();
  }

  /** Removes everything of ours from the kernel, unless `keep`. Nothing can be asked for afterwards. */
  async stop({ keep }: { keep: boolean }): Promise<void> {
    this.timers.endRetries();
    if (this.started && !keep) {
      for (const prefix of this.records.all()) this.place(prefix, undefined);
      await this.sweep();
      this.suspected = 'everything';
      await this.flush();
    }
    this.hold = undefined;
    this.timers.stop();
    this.stopped = true;
    await this.running;
    this.unwatch?.();
  }

  /** Groups of several next hops that forward now: the primary one of a class, or its fallback once that is gone. */
  balancedGroups(): readonly BalancedGroup[] {
    if (!this.started || !this.idle) return this.findBalanced();
    this.balanced ??= this.findBalanced();
    return this.balanced;
  }

  /** Shares that load balancing found, in the order of the group's members, which hold until one comes or goes. */
  reweigh(group: NextHopId, shares: readonly number[]): void {
    if (this.groups.reweigh(group, shares)) this.schedule();
  }

  /** How many prefixes of each colour there are, and how many of them go by their fallback; walks classes, not prefixes. */
  colours(): ReadonlyMap<number, ColourUse> {
    return colourUse(this.classes.all());
  }

  *entries(): Iterable<FibEntryView> {
    for (const prefix of this.records.all()) {
      const view = viewOf(prefix, this.records, this.nextHops);
      if (view) yield view;
    }
  }

  entry(prefix: Prefix): FibEntryView | undefined {
    const found = this.records.find(prefix);
    return found === undefined ? undefined : viewOf(found, this.records, this.nextHops);
  }

  /**
   * What the kernel has now against what is wanted, from a fresh dump. What turns out to be lost is put right after that. Rejects
   * when the kernel does not answer.
   */
  compare(): Promise<FibComparison> {
    if (!this.started || this.stopped) return Promise.reject(new Error('the forwarding table is not in use yet'));
    return this.inspector.inspect();
  }

  /** Under our protocol number, or with an id of our range. */
  foreign(): Iterable<ForeignObject> {
    return this.foreignObjects.all();
  }

  /** Prefixes whose routes wait to be written. */
  get waiting(): number {
    return this.routes.waitingCount;
  }

  get counters(): FibCounters {
    const { written } = this;
    return {
      prefixes: this.records.size,
      waiting: this.waiting,
      nextHops: this.nextHops.installedCount,
      groups: this.groups.installedCount,
      routes: this.groups.routeCount,
      failed: this.routes.failureCount,
      operations: this.operations,
      writes: written.nextHops + written.groups + written.routes,
      written: { ...written },
      groupReplacements: this.groups.replacements,
      resyncs: this.resyncs,
      outsideChanges: { ...this.outsideChanges },
      refusals: this.refusals,
    };
  }

  /** Nothing is being written or about to be. */
  get idle(): boolean {
    return !this.isWriting && !this.scheduled && !this.hold;
  }

  private findBalanced(): BalancedGroup[] {
    const found: BalancedGroup[] = [];
    for (const { groups } of this.classes.all()) {
      const [primary, fallback] = groups;
      const group = primary.id === 0 ? fallback : primary;
      if (!group || group.id === 0 || this.groups.isMisfit(group)) continue;
      const members = group.set.members.flatMap(({ id, interfaceIndex }, place): BalancedMember[] =>
        id === 0 ? [] : [{ id, interfaceIndex, due: group.set.weights?.[place] ?? 1 }],
      );
      if (members.length > 1) found.push({ id: group.id, members });
    }
    return found;
  }

  private place(prefix: PrefixNumber, way: ForwardingWay | undefined): boolean {
    this.records.clear(prefix, ADOPTED);
    this.classes.move(prefix, way);
    this.schedule();
    return way === undefined || this.routes.isInstalled(prefix);
  }

  private run(): Promise<void> {
    if (!this.started || this.stopped) return Promise.resolve();
    if (!this.isWriting) {
      this.isWriting = true;
      this.running = this.work();
    }
    return this.running;
  }

  private waitsForMore(): boolean {
    const now = this.options.clock.now();
    this.hold ??= { since: now, slices: 0 };
    this.hold.slices++;
    return this.hold.slices <= FEWEST_SLICES || now - this.hold.since < LONGEST_HOLD;
  }

  private schedule(): void {
    if (!this.started || this.stopped || this.scheduled) return;
    this.scheduled = true;
    this.options.clock.yield(() => {
      this.scheduled = false;
      void this.run();
    });
  }

  /** Never rejects, never runs twice at a time. */
  private async work(): Promise<void> {
    try {
      await this.writeDifference();
    } catch (error) {
      this.log.say('error', `the kernel tables did not answer: ${(error as Error).message}`);
      this.suspected = 'everything';
      this.isWriting = false;
    }
    // Whatever is changed is written before it is idle again, and that ends here.
    this.balanced = undefined;
    const isUntidy = this.classes.hasEqual || this.groups.hasMisfits;
    this.timers.written({ hasFailures: this.suspected !== undefined || this.hasFailures(), isUntidy });
    if (this.idle) this.options.settled?.();
  }

  private async writeDifference(): Promise<void> {
    let surprised = false;
    this.log.flush();
    for (;;) {
      if (this.suspected) await this.resync(this.suspected);
      if (!this.hold) this.classes.regroup();
      const batch = this.nextBatch();
      if (!batch && !this.hold && this.groups.exchangeReplaced()) continue;
      // At once, so that what is wanted from here on begins anew.
      if (!batch) {
        this.isWriting = false;
        return;
      }
      const failures = await this.apply(batch);
      if (surprised || !failures.some(({ code }) => SURPRISES.has(code))) continue;
      // Once a run: what the kernel refuses again after that is refused.
      surprised = true;
      this.suspected = 'everything';
    }
  }

  /**
   * Each looks at first whether it has anything to do, and makes nothing else: one route asks all of them twice (15 collections
   * of garbage in 400 UPDATEs in place of 17).
   */
  private nextBatch(): Batch | undefined {
    return (
      this.condemnedRemovals() ??
      this.nextHops.writes() ??
      this.groups.writes() ??
      this.routes.writes() ??
      this.routes.removals() ??
      (this.hold ? undefined : this.nextHops.restorations()) ??
      this.groups.removals() ??
      (this.adopting || this.classes.hasMoves
        ? undefined
        : (this.nextHops.removals((id) => this.groups.isMember(id)) ?? this.leftovers()))
    );
  }

  private async apply(batch: Batch): Promise<readonly KernelFailure[]> {
    this.operations += batch.operations.length;
    for (const { kind } of batch.operations) count(this.written, kind);
    this.inspector.sent(batch.operations);
    const failures = await this.options.tables.apply(batch.operations).finally(() => this.inspector.sent([]));
    this.refusals += failures.length;
    for (const failure of failures) batch.revert(failure);
    this.log.refused(failures);
    return failures;
  }

  private condemnedRemovals(): Batch | undefined {
    // Group ids are the higher ones: groups go first.
    return removalOf(this.condemned, (a, b) => b - a);
  }

  private leftovers(): Batch | undefined {
    return removalOf(this.leftover, (a, b) => a - b);
  }

  /** Makes the records equal to what the kernel really has. A dump that is older than a link change is not believed. */
  private async resync(scope: DumpScope): Promise<void> {
    this.suspected = undefined;
    const before = this.linkChanges;
    const snapshot = await this.options.tables.dump(scope);
    if (before !== this.linkChanges) {
      this.suspected = 'everything';
      return;
    }
    this.foreignObjects.update(snapshot.foreign, scope);
    const objects = this.nextHops.installedCount + this.groups.installedCount;
    for (const { id } of this.nextHops.reconcile(snapshot.nextHops)) this.leftover.add(id);
    this.groups.reconcile(snapshot.groups, false);
    const gone = objects - this.nextHops.installedCount - this.groups.installedCount;
    this.outsideChanges.nextHopsDeleted += Math.max(0, gone);
    if (gone > 0) this.log.say('warn', `${gone} next-hop objects were gone or changed in the kernel: made again`);
    for (const id of this.condemned) if (this.groups.isAlive(id)) this.condemned.delete(id);
    if (scope === 'next-hops') return;
    this.resyncs++;
    this.routes.reconcile(snapshot.routes, false);
    this.retryFailures();
  }

  private kernelEvent(event: KernelEvent): void {
    switch (event.kind) {
      case 'next-hop-deleted':
        if (!this.nextHops.deleted(event.id) && !this.groups.deleted(event.id)) return;
        this.outsideChanges.nextHopsDeleted++;
        this.log.say('warn', `next-hop object ${event.id} was deleted by another program: it is made again`);
        break;
      case 'route-deleted':
        if (!this.routes.deleted(event)) return;
        this.outsideChanges.routesDeleted++;
        this.log.routeLost('deleted', event.prefix, event.metric);
        break;
      case 'route-replaced':
        if (this.routes.isAsWritten(event)) this.suspected ??= 'next-hops';
        else if (this.routes.replaced(event)) {
          this.outsideChanges.routesReplaced++;
          this.log.routeLost('replaced', event.prefix, event.metric);
        } else return;
        break;
      case 'foreign-route-gone':
        if (!this.routes.retry(event.prefix)) return;
        break;
      case 'overrun':
        this.log.say('info', 'kernel events were lost: the tables are read again');
        this.suspected = 'everything';
        break;
    }
    this.schedule();
  }

  private audit(full: boolean): void {
    if (full) void this.compare().catch(() => undefined);
    this.suspected ??= 'next-hops';
    this.schedule();
  }

  private retry(): void {
    this.retryFailures();
    this.schedule();
  }

  private tidy(): void {
    this.groups.exchangeMisfits();
    this.classes.join(JOIN_STEP);
    this.schedule();
  }

  private hasFailures(): boolean {
    return this.nextHops.hasFailures || this.groups.hasFailures || this.routes.failureCount > 0;
  }

  private retryFailures(): void {
    this.nextHops.retryFailures();
    this.groups.retryFailures();
    this.routes.retryFailures();
  }
}

function count(written: Written, kind: KernelOperation['kind']): void {
  if (kind === 'set-next-hop') written.nextHops++;
  else if (kind === 'set-group') written.groups++;
  else if (kind === 'set-route') written.routes++;
}

function removalOf(ids: Set<NextHopId>, order: (a: NextHopId, b: NextHopId) => number): Batch | undefined {
  if (ids.size === 0) return undefined;
  const batch = new BatchBuilder();
  for (const id of [...ids].sort(order)) batch.add({ kind: 'delete-next-hop', id }, () => {});
  ids.clear();
  return batch.finish();
}
