/**
 * The next-hop objects: one per (interface, gateway). The kernel deletes an object whose link loses carrier without
 * saying so; the link state tells. An object is made again when its link is back and a group still wants it.
 */
import { type Address, equalBytes } from '../net/address.js';
import type { KernelNextHop, NextHopId } from '../ports/kernel-tables.js';
import { type Batch, BatchBuilder, failureText, type NextHop, octetsKey } from './forwarding-objects.js';
import { IdRange, NEXT_HOP_IDS } from './ownership.js';

export interface NextHopsHooks {
  /** It is usable now, or no more; groups that want it follow. */
  changed(nextHop: NextHop): void;
  /** The object is gone from the kernel, and so from every group that had it. */
  lost(id: NextHopId): void;
}

export class NextHops {
  private readonly byKey = new Map<string, NextHop>();
  private readonly byId = new Map<NextHopId, NextHop>();
  private readonly downLinks = new Set<number>();
  private readonly dirty = new Set<NextHop>();
  private readonly failed = new Set<NextHop>();
  /** Objects that no group wants. */
  private readonly idle = new Set<NextHop>();
  private readonly ids = new IdRange(NEXT_HOP_IDS, (id) => this.byId.has(id));
  private serials = 0;

  constructor(private readonly hooks: NextHopsHooks) {}

  get installedCount(): number {
    return this.byId.size;
  }

  get hasFailures(): boolean {
    return this.failed.size > 0;
  }

  obtain(interfaceIndex: number, gateway: Address): NextHop {
    const key = `${interfaceIndex}|${octetsKey(gateway)}`;
    const known = this.byKey.get(key);
    if (known) return known;
    const serial = this.serials++;
    const fresh: NextHop = { interfaceIndex, gateway, serial, id: 0, error: undefined, groups: new Set() };
    this.byKey.set(key, fresh);
    this.idle.add(fresh);
    return fresh;
  }

  /** To be called when `groups` of the object changed. */
  usersChanged(nextHop: NextHop): void {
    if (nextHop.groups.size === 0) this.idle.add(nextHop);
    else if (nextHop.id === 0) this.dirty.add(nextHop);
  }

  isLinkDown(interfaceIndex: number): boolean {
    return this.downLinks.has(interfaceIndex);
  }

  /** Ids of the objects that died with the link. */
  linkDown(interfaceIndex: number): NextHopId[] {
    this.downLinks.add(interfaceIndex);
    const dead = [...this.byId.values()].filter((nextHop) => nextHop.interfaceIndex === interfaceIndex);
    return dead.map((nextHop) => this.forget(nextHop));
  }

  linkUp(interfaceIndex: number): void {
    this.downLinks.delete(interfaceIndex);
    for (const nextHop of this.byKey.values())
      if (nextHop.interfaceIndex === interfaceIndex) this.usersChanged(nextHop);
  }

  /** The kernel no longer has the object; true when it was one of these. */
  deleted(id: NextHopId): boolean {
    const nextHop = this.byId.get(id);
    if (nextHop) this.forget(nextHop);
    return nextHop !== undefined;
  }

  /** Takes over an object found at start; false when another one for the same gateway is known or its link is down. */
  adopt({ id, interfaceIndex, gateway }: KernelNextHop): boolean {
    this.ids.found(id);
    const nextHop = this.obtain(interfaceIndex, gateway);
    if (nextHop.id !== 0 || this.downLinks.has(interfaceIndex)) return false;
    nextHop.id = id;
    this.byId.set(id, nextHop);
    return true;
  }

  /** Forgets objects that a dump lists not at all or changed; the result is what it lists and is not known. */
  reconcile(listed: readonly KernelNextHop[]): KernelNextHop[] {
    const seen = new Map(listed.map((nextHop) => [nextHop.id, nextHop]));
    for (const id of seen.keys()) this.ids.found(id);
    for (const nextHop of [...this.byId.values()]) if (!isSame(seen.get(nextHop.id), nextHop)) this.forget(nextHop);
    return listed.filter(({ id }) => !this.byId.has(id));
  }

  retryFailures(): void {
    for (const nextHop of this.failed) this.usersChanged(nextHop);
    this.failed.clear();
  }

  writes(): Batch | undefined {
    const batch = new BatchBuilder();
    for (const nextHop of this.dirty) {
      if (nextHop.id !== 0 || nextHop.groups.size === 0 || this.downLinks.has(nextHop.interfaceIndex)) continue;
      const { interfaceIndex, gateway } = nextHop;
      const id = this.ids.next();
      nextHop.id = id;
      nextHop.error = undefined;
      this.byId.set(id, nextHop);
      this.hooks.changed(nextHop);
      batch.add({ kind: 'set-next-hop', id, interfaceIndex, gateway }, (failure) => {
        if (nextHop.id !== id) return;
        nextHop.error = failureText(failure);
        this.forget(nextHop);
        this.dirty.delete(nextHop);
        this.failed.add(nextHop);
      });
    }
    this.dirty.clear();
    return batch.finish();
  }

  /** Deletes objects that no group wants and that are in none of the kernel's groups. */
  removals(isMember: (id: NextHopId) => boolean): Batch | undefined {
    const batch = new BatchBuilder();
    for (const nextHop of this.idle) {
      const { id } = nextHop;
      if (nextHop.groups.size === 0 && id !== 0 && isMember(id)) continue;
      this.idle.delete(nextHop);
      if (nextHop.groups.size > 0) continue;
      this.byKey.delete(`${nextHop.interfaceIndex}|${octetsKey(nextHop.gateway)}`);
      this.failed.delete(nextHop);
      if (id === 0) continue;
      this.byId.delete(id);
      nextHop.id = 0;
      batch.add({ kind: 'delete-next-hop', id }, () => {});
    }
    return batch.finish();
  }

  private forget(nextHop: NextHop): NextHopId {
    const { id } = nextHop;
    this.byId.delete(id);
    nextHop.id = 0;
    this.hooks.lost(id);
    this.hooks.changed(nextHop);
    this.usersChanged(nextHop);
    return id;
  }
}

function isSame(seen: KernelNextHop | undefined, { interfaceIndex, gateway }: NextHop): boolean {
  return seen?.interfaceIndex === interfaceIndex && equalBytes(seen.gateway, gateway);
}
