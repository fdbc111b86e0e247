/**
 * The prefixes and their two routes each. Writes come before deletions, so that no route goes before what replaces it is
 * in; both are cut into slices, so that a change of a group never waits behind 100,000 routes.
 */
import type { Prefix } from '../net/prefix.js';
import type { KernelFailure, KernelRoute, NextHopId } from '../ports/kernel-tables.js';
import {
  type Batch,
  BatchBuilder,
  type FibPrefix,
  failureText,
  prefixKey,
  TIER_METRICS,
  TIERS,
  type Tier,
} from './forwarding-objects.js';
import type { Groups } from './groups.js';
import { PrefixQueue } from './prefix-queue.js';

/** Operations in one batch. */
const SLICE = 1000;

export class Routes {
  private readonly byKey = new Map<string, FibPrefix>();
  private readonly dirty = new PrefixQueue('dirty');
  /** Prefixes that may have a route to delete. */
  private readonly obsolete = new PrefixQueue('obsolete');
  private readonly failed = new Set<FibPrefix>();

  constructor(private readonly groups: Groups) {}

  get prefixCount(): number {
    return this.byKey.size;
  }

  get waitingCount(): number {
    return this.dirty.size;
  }

  get failureCount(): number {
    return this.failed.size;
  }

  all(): Iterable<FibPrefix> {
    return this.byKey.values();
  }

  find(prefix: Prefix): FibPrefix | undefined {
    return this.byKey.get(prefixKey(prefix));
  }

  obtain(prefix: Prefix): FibPrefix {
    const key = prefixKey(prefix);
    const known = this.byKey.get(key);
    if (known) return known;
    const fresh: FibPrefix = {
      prefix,
      key,
      forwardingClass: undefined,
      target: undefined,
      installed: [0, 0],
      adopted: false,
      error: undefined,
      moving: false,
      dirty: false,
      obsolete: false,
    };
    this.byKey.set(key, fresh);
    return fresh;
  }

  touch(prefix: FibPrefix): void {
    this.dirty.add(prefix);
  }

  /** A route went away; true when it was one that is believed to be there. */
  deleted(route: KernelRoute): boolean {
    return this.isAsWritten(route) && this.replaced(route);
  }

  isAsWritten({ prefix, metric, nextHop }: KernelRoute): boolean {
    return this.groups.isAlive(nextHop) && this.find(prefix)?.installed[TIER_METRICS.indexOf(metric)] === nextHop;
  }

  /** Another route took its place; true when one was believed to be there. */
  replaced({ prefix, metric }: Omit<KernelRoute, 'nextHop'>): boolean {
    const found = this.find(prefix);
    const tier = TIER_METRICS.indexOf(metric) as Tier | -1;
    if (!found || tier === -1 || !this.groups.isAlive(found.installed[tier])) return false;
    this.setInstalled(found, tier, 0);
    this.touch(found);
    return true;
  }

  /** Makes the picture equal to a dump. At start, unknown prefixes are kept until the sweep; later they are deleted. */
  reconcile(listed: readonly KernelRoute[], adopting: boolean): void {
    const seen = new Map<FibPrefix, [NextHopId, NextHopId]>();
    for (const { prefix, metric, nextHop } of listed) {
      const tier = TIER_METRICS.indexOf(metric);
      if (tier === -1) continue;
      const found = this.find(prefix) ?? this.addFound(prefix, adopting);
      const routes = seen.get(found) ?? [0, 0];
      routes[tier] = nextHop;
      seen.set(found, routes);
    }
    for (const prefix of this.byKey.values()) this.correct(prefix, seen.get(prefix) ?? [0, 0]);
  }

  sweep(): void {
    for (const prefix of this.byKey.values()) {
      if (!prefix.adopted) continue;
      prefix.adopted = false;
      this.touch(prefix);
    }
  }

  /** Tries once more what the kernel refused; false when there is nothing of that prefix. */
  retry(prefix: Prefix): boolean {
    const found = this.find(prefix);
    if (!found || !this.failed.has(found)) return false;
    this.touch(found);
    return true;
  }

  retryFailures(): void {
    for (const prefix of this.failed) this.touch(prefix);
  }

  writes(): Batch | undefined {
    const batch = new BatchBuilder();
    for (let prefix = this.dirty.take(); prefix; prefix = this.dirty.take()) {
      prefix.error = undefined;
      this.failed.delete(prefix);
      for (const tier of TIERS) this.write(prefix, tier, batch);
      if (isObsolete(prefix)) this.obsolete.add(prefix);
      if (batch.size >= SLICE) break;
    }
    return batch.finish();
  }

  removals(): Batch | undefined {
    const batch = new BatchBuilder();
    for (let prefix = this.obsolete.take(); prefix; prefix = this.obsolete.take()) {
      for (const tier of TIERS) this.remove(prefix, tier, batch);
      if (!prefix.forwardingClass && !prefix.target && !this.isInstalled(prefix)) this.byKey.delete(prefix.key);
      if (batch.size >= SLICE) break;
    }
    return batch.finish();
  }

  private write(prefix: FibPrefix, tier: Tier, batch: BatchBuilder): void {
    const nextHop = wantedGroup(prefix, tier);
    const before = prefix.installed[tier];
    if (nextHop === 0 || before === nextHop) return;
    const replace = this.groups.isAlive(before);
    this.setInstalled(prefix, tier, nextHop);
    batch.add({ kind: 'set-route', prefix: prefix.prefix, metric: TIER_METRICS[tier], nextHop, replace }, (failure) => {
      if (prefix.installed[tier] === nextHop) this.setInstalled(prefix, tier, before);
      this.failWith(prefix, failure);
    });
  }

  private remove(prefix: FibPrefix, tier: Tier, batch: BatchBuilder): void {
    const before = prefix.installed[tier];
    const wanted = wantedGroup(prefix, tier);
    if (before === 0 || before === wanted || prefix.adopted || !this.groups.isAlive(before)) return;
    // A route of ours that could not be written must not cost the prefix the other one.
    if (prefix.forwardingClass && prefix.error !== undefined) return;
    this.setInstalled(prefix, tier, 0);
    batch.add({ kind: 'delete-route', prefix: prefix.prefix, metric: TIER_METRICS[tier] }, (failure) => {
      if (prefix.installed[tier] === 0) this.setInstalled(prefix, tier, before);
      if (!this.byKey.has(prefix.key)) this.byKey.set(prefix.key, prefix);
      this.failWith(prefix, failure);
    });
  }

  private failWith(prefix: FibPrefix, failure: KernelFailure): void {
    prefix.error = failureText(failure);
    this.failed.add(prefix);
  }

  private setInstalled(prefix: FibPrefix, tier: Tier, id: NextHopId): void {
    this.groups.routeMoved(prefix.installed[tier], id);
    prefix.installed[tier] = id;
  }

  /** The kernel is believed to have a route of ours for it. */
  isInstalled({ installed }: FibPrefix): boolean {
    return installed.some((id) => this.groups.isAlive(id));
  }

  private addFound(prefix: Prefix, adopting: boolean): FibPrefix {
    const found = this.obtain(prefix);
    found.adopted = adopting;
    return found;
  }

  private correct(prefix: FibPrefix, seen: readonly [NextHopId, NextHopId]): void {
    for (const tier of TIERS) {
      if (prefix.installed[tier] === seen[tier]) continue;
      this.setInstalled(prefix, tier, seen[tier]);
      this.touch(prefix);
    }
  }
}

/** 0 when the prefix is to have no route of that tier. */
function wantedGroup(prefix: FibPrefix, tier: Tier): NextHopId {
  return prefix.forwardingClass?.groups[tier]?.id ?? 0;
}

/** It, or a route of it, is to go. Most prefixes are new, and a second walk over 100,000 of them would find nothing. */
function isObsolete(prefix: FibPrefix): boolean {
  if (!prefix.forwardingClass) return true;
  return TIERS.some((tier) => prefix.installed[tier] !== 0 && prefix.installed[tier] !== wantedGroup(prefix, tier));
}
