/**
 * The prefixes and their two routes each. Writes come before deletions, so that no route goes before what replaces it is
 * in; both are cut into slices, so that a change of a group never waits behind 100,000 routes.
 */
import type { Prefix } from '../net/prefix.js';
import type { KernelRoute, NextHopId } from '../ports/kernel-tables.js';
import { PrefixSet } from '../rib/prefix-set.js';
import { type Batch, failureText, TIER_METRICS, TIERS, type Tier } from './forwarding-objects.js';
import type { Groups } from './groups.js';
import { ADOPTED, LEAVING, MOVING, type PrefixNumber, type PrefixRecords } from './prefix-records.js';
import { RouteBatch } from './route-batch.js';

/** Operations in one batch. */
const SLICE = 1000;

export class Routes {
  private readonly dirty = new PrefixSet();
  /** Prefixes that may have a route to delete. */
  private readonly obsolete = new PrefixSet();
  /** Nothing may be left of them once the kernel has answered. */
  private leaving: PrefixNumber[] = [];
  /** As the last operation of the batch at hand has it: one value for both routes of a prefix. */
  private named: { readonly number: PrefixNumber; readonly prefix: Prefix } | undefined;

  constructor(
    private readonly records: PrefixRecords,
    private readonly groups: Groups,
  ) {}

  get waitingCount(): number {
    return this.dirty.size;
  }

  get failureCount(): number {
    return this.records.errors.size;
  }

  touch(prefix: PrefixNumber): void {
    this.dirty.add(prefix);
  }

  /** A route of it is to be written or deleted. */
  isWaiting(prefix: PrefixNumber): boolean {
    return this.dirty.has(prefix) || this.obsolete.has(prefix);
  }

  /** A route went away; true when it was one that is believed to be there. */
  deleted(route: KernelRoute): boolean {
    return this.isAsWritten(route) && this.replaced(route);
  }

  isAsWritten({ prefix, metric, nextHop }: KernelRoute): boolean {
    return this.groups.isAlive(nextHop) && this.believed(prefix, metric) === nextHop;
  }

  /** Another route took its place; true when one was believed to be there. */
  replaced({ prefix, metric }: Omit<KernelRoute, 'nextHop'>): boolean {
    const found = this.records.find(prefix);
    if (found === undefined || !this.groups.isAlive(this.believed(prefix, metric))) return false;
    this.setInstalled(found, TIER_METRICS.indexOf(metric) as Tier, 0);
    this.touch(found);
    return true;
  }

  /** Makes the picture equal to a dump. At start, unknown prefixes are kept until the sweep; later they are deleted. */
  reconcile(listed: readonly KernelRoute[], adopting: boolean): void {
    const { records } = this;
    const ours = listed.filter(({ metric }) => TIER_METRICS.includes(metric));
    const numbers = ours.map(({ prefix }) => records.find(prefix) ?? this.addFound(prefix, adopting));
    const seen = new Uint32Array(records.end * TIERS.length);
    for (const [place, { metric, nextHop }] of ours.entries())
      seen[numbers[place]! * TIERS.length + TIER_METRICS.indexOf(metric)] = nextHop;
    for (const prefix of records.all()) {
      for (const tier of TIERS) this.correct(prefix, tier, seen[prefix * TIERS.length + tier]!);
    }
  }

  sweep(): void {
    for (const prefix of this.records.all()) {
      if (!this.records.has(prefix, ADOPTED)) continue;
      this.records.clear(prefix, ADOPTED);
      this.touch(prefix);
    }
  }

  /** Tries once more what the kernel refused; false when there is nothing of that prefix. */
  retry(prefix: Prefix): boolean {
    const found = this.records.find(prefix);
    if (found === undefined || !this.records.errors.has(found)) return false;
    this.touch(found);
    return true;
  }

  retryFailures(): void {
    for (const prefix of this.records.errors.keys()) this.touch(prefix);
  }

  writes(): Batch | undefined {
    this.forgetLeft();
    if (this.dirty.size === 0) return undefined;
    const batch = this.newBatch();
    while (this.dirty.size > 0 && batch.size < SLICE) {
      const prefix = this.dirty.shift();
      if (this.records.errors.size > 0) this.records.errors.delete(prefix);
      for (const tier of TIERS) this.write(prefix, tier, batch);
      if (this.isObsolete(prefix)) this.obsolete.add(prefix);
    }
    return batch.finish();
  }

  removals(): Batch | undefined {
    if (this.obsolete.size === 0) return undefined;
    const batch = this.newBatch();
    while (this.obsolete.size > 0 && batch.size < SLICE) {
      const prefix = this.obsolete.shift();
      for (const tier of TIERS) this.remove(prefix, tier, batch);
      if (this.records.has(prefix, LEAVING) || !this.isUnused(prefix)) continue;
      this.records.set(prefix, LEAVING);
      this.leaving.push(prefix);
    }
    return batch.finish();
  }

  /** The kernel is believed to have a route of ours for it. */
  isInstalled(prefix: PrefixNumber): boolean {
    return this.isBelieved(prefix, 0) || this.isBelieved(prefix, 1);
  }

  private newBatch(): RouteBatch {
    this.named = undefined;
    return new RouteBatch((failure, route) => {
      const { prefix, tier, before, after } = route;
      if (this.records.installed(prefix, tier) === after) this.setInstalled(prefix, tier, before);
      this.records.errors.set(prefix, failureText(failure));
    });
  }

  private write(prefix: PrefixNumber, tier: Tier, batch: RouteBatch): void {
    const after = this.wantedGroup(prefix, tier);
    const before = this.records.installed(prefix, tier);
    if (after === 0 || before === after) return;
    const replace = this.groups.isAlive(before);
    this.setInstalled(prefix, tier, after);
    const operation = {
      kind: 'set-route',
      prefix: this.prefixOf(prefix),
      metric: TIER_METRICS[tier],
      nextHop: after,
      replace,
    } as const;
    batch.add(operation, { prefix, tier, before, after });
  }

  private remove(prefix: PrefixNumber, tier: Tier, batch: RouteBatch): void {
    const { records } = this;
    const before = records.installed(prefix, tier);
    const wanted = this.wantedGroup(prefix, tier);
    if (before === 0 || before === wanted || records.has(prefix, ADOPTED) || !this.groups.isAlive(before)) return;
    // A route of ours that could not be written must not cost the prefix the other one.
    if (records.classOf(prefix) && records.errors.has(prefix)) return;
    this.setInstalled(prefix, tier, 0);
    const operation = { kind: 'delete-route', prefix: this.prefixOf(prefix), metric: TIER_METRICS[tier] } as const;
    batch.add(operation, { prefix, tier, before, after: 0 });
  }

  private prefixOf(number: PrefixNumber): Prefix {
    if (this.named?.number !== number) this.named = { number, prefix: this.records.prefixOf(number) };
    return this.named.prefix;
  }

  /** A deletion that the kernel refused, or a new wish, keeps the number; else it is free for another prefix. */
  private forgetLeft(): void {
    if (this.leaving.length === 0) return;
    for (const prefix of this.leaving) {
      this.records.clear(prefix, LEAVING);
      if (this.isUnused(prefix) && !this.isWaiting(prefix) && !this.records.errors.has(prefix))
        this.records.forget(prefix);
    }
    this.leaving = [];
  }

  private isUnused(prefix: PrefixNumber): boolean {
    const { records } = this;
    return !records.classOf(prefix) && !records.has(prefix, MOVING) && !this.isInstalled(prefix);
  }

  private setInstalled(prefix: PrefixNumber, tier: Tier, id: NextHopId): void {
    this.groups.routeMoved(this.records.installed(prefix, tier), id);
    this.records.setInstalled(prefix, tier, id);
  }

  /** The group that a route is believed to use; 0 when there is none, or none with that metric can be. */
  private believed(prefix: Prefix, metric: number): NextHopId {
    const found = this.records.find(prefix);
    const tier = TIER_METRICS.indexOf(metric) as Tier | -1;
    return found === undefined || tier === -1 ? 0 : this.records.installed(found, tier);
  }

  private isBelieved(prefix: PrefixNumber, tier: Tier): boolean {
    const id = this.records.installed(prefix, tier);
    return id !== 0 && this.groups.isAlive(id);
  }

  private addFound(prefix: Prefix, adopting: boolean): PrefixNumber {
    const found = this.records.obtain(prefix);
    if (adopting) this.records.set(found, ADOPTED);
    return found;
  }

  private correct(prefix: PrefixNumber, tier: Tier, seen: NextHopId): void {
    if (this.records.installed(prefix, tier) === seen) return;
    this.setInstalled(prefix, tier, seen);
    this.touch(prefix);
  }

  /** 0 when the prefix is to have no route of that tier. */
  private wantedGroup(prefix: PrefixNumber, tier: Tier): NextHopId {
    return this.records.classOf(prefix)?.groups[tier]?.id ?? 0;
  }

  /** It, or a route of it, is to go. Most prefixes are new, and a second walk over 100,000 of them would find nothing. */
  private isObsolete(prefix: PrefixNumber): boolean {
    if (!this.records.classOf(prefix)) return true;
    return this.isOutdated(prefix, 0) || this.isOutdated(prefix, 1);
  }

  private isOutdated(prefix: PrefixNumber, tier: Tier): boolean {
    const id = this.records.installed(prefix, tier);
    return id !== 0 && id !== this.wantedGroup(prefix, tier);
  }
}
