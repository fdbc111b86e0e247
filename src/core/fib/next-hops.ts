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
  /** It is not known any more: the next one of the same gateway is another. */
  forgotten(): void;
  /** The object is gone from the kernel, and so from every group that had it. */
  lost(id: NextHopId): void;
  /** Another program has the id. */
  isForeign(id: NextHopId): boolean;
}

export class NextHops {
  private readonly byKey = new Map<string, NextHop>();
  private readonly byId = new Map<NextHopId, NextHop>();
  private readonly downLinks = new Set<number>();
  private readonly dirty = new Set<NextHop>();
  private readonly failed = new Set<NextHop>();
  /** Objects that are to lead somewhere else than they do in the kernel. */
  private readonly misled = new Set<NextHop>();
  /** Those that another stands in for, and whether the tables have been through since. */
  private readonly diverted = new Map<NextHop, boolean>();
  /** Objects that no group wants. */
  private readonly idle = new Set<NextHop>();
  private readonly ids = new IdRange(NEXT_HOP_IDS, (id) => this.byId.has(id) || this.hooks.isForeign(id));
  private serials = 0;

  constructor(private readonly hooks: NextHopsHooks) {}

  get installedCount(): number {
    return this.byId.size;
  }

  get hasFailures(): boolean {
    return this.failed.size > 0;
  }

  /** Another stands in for some. */
  get hasDiverted(): boolean {
    return this.diverted.size > 0;
  }

  obtain(interfaceIndex: number, gateway: Address): NextHop {
    const key = `${interfaceIndex}|${octetsKey(gateway)}`;
    const known = this.byKey.get(key);
    if (known) return known;
    const serial = this.serials++;
    const nothing = { id: 0, standIn: undefined, error: undefined };
    const fresh: NextHop = { interfaceIndex, gateway, serial, ...nothing, sets: new Set() };
    this.byKey.set(key, fresh);
    this.idle.add(fresh);
    return fresh;
  }

  /** To be called when `sets` of the object changed. */
  usersChanged(nextHop: NextHop): void {
    if (nextHop.sets.size === 0) this.idle.add(nextHop);
    else if (nextHop.id === 0) this.dirty.add(nextHop);
  }

  all(): Iterable<NextHop> {
    return this.byKey.values();
  }

  byNumber(id: NextHopId): NextHop | undefined {
    return this.byId.get(id);
  }

  isWaiting(nextHop: NextHop): boolean {
    return this.dirty.has(nextHop) || this.misled.has(nextHop);
  }

  isLinkDown(interfaceIndex: number): boolean {
    return this.downLinks.has(interfaceIndex);
  }

  /** Ids of the objects that died with the link. */
  linkDown(interfaceIndex: number): NextHopId[] {
    this.downLinks.add(interfaceIndex);
    const dead = [...this.byId.values()].filter((nextHop) => placeOf(nextHop).interfaceIndex === interfaceIndex);
    return dead.map((nextHop) => this.forget(nextHop));
  }

  linkUp(interfaceIndex: number): void {
    this.downLinks.delete(interfaceIndex);
    for (const nextHop of this.byKey.values())
      if (nextHop.interfaceIndex === interfaceIndex) this.usersChanged(nextHop);
  }

  /**
   * The neighbour does not forward, though its link is up: its object leads over `standIn` until `restore`. One write moves all
   * that goes over it, however many groups and prefixes that is; what it stood in for itself goes along.
   */
  divert(nextHop: NextHop, standIn: NextHop): void {
    for (const other of [...this.diverted.keys()]) if (other.standIn === nextHop) this.lead(other, standIn);
    this.lead(nextHop, standIn);
    if (nextHop.standIn) this.diverted.set(nextHop, false);
  }

  /** The tables know of all failures so far: what is wanted of these next hops then is meant. */
  tablesFollowed(): void {
    for (const nextHop of this.diverted.keys()) this.diverted.set(nextHop, true);
  }

  restore(nextHop: NextHop): void {
    this.lead(nextHop, undefined);
  }

  find(interfaceIndex: number, gateway: Address): NextHop | undefined {
    return this.byKey.get(`${interfaceIndex}|${octetsKey(gateway)}`);
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
    if (this.misled.size + this.dirty.size === 0) return undefined;
    const batch = new BatchBuilder();
    for (const nextHop of this.misled) this.writePlace(nextHop, batch);
    this.misled.clear();
    for (const nextHop of this.dirty) {
      if (nextHop.id !== 0 || nextHop.sets.size === 0 || this.downLinks.has(nextHop.interfaceIndex)) continue;
      const { interfaceIndex, gateway } = nextHop;
      const id = this.ids.next();
      nextHop.id = id;
      nextHop.error = undefined;
      this.byId.set(id, nextHop);
      this.hooks.changed(nextHop);
      batch.add({ kind: 'set-next-hop', id, interfaceIndex, gateway, replace: false }, (failure) => {
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
    if (this.idle.size === 0) return undefined;
    const batch = new BatchBuilder();
    for (const nextHop of this.idle) {
      const { id } = nextHop;
      if (nextHop.sets.size === 0 && id !== 0 && isMember(id)) continue;
      this.idle.delete(nextHop);
      if (nextHop.sets.size > 0) continue;
      this.byKey.delete(`${nextHop.interfaceIndex}|${octetsKey(nextHop.gateway)}`);
      this.hooks.forgotten();
      this.failed.delete(nextHop);
      this.diverted.delete(nextHop);
      if (id === 0) continue;
      this.byId.delete(id);
      nextHop.id = 0;
      batch.add({ kind: 'delete-next-hop', id }, () => {});
    }
    return batch.finish();
  }

  /** Next hops that groups want although the tables know of the failure lead to themselves again. */
  restorations(): Batch | undefined {
    if (this.diverted.size + this.misled.size === 0) return undefined;
    for (const [nextHop, followed] of [...this.diverted])
      if (followed && nextHop.sets.size > 0) this.lead(nextHop, undefined);
    return this.misled.size > 0 ? this.writes() : undefined;
  }

  private lead(nextHop: NextHop, standIn: NextHop | undefined): void {
    if (nextHop.id === 0 || nextHop.standIn === standIn) return;
    nextHop.standIn = standIn;
    this.misled.add(nextHop);
    if (!standIn) this.diverted.delete(nextHop);
    else if (!this.diverted.has(nextHop)) this.diverted.set(nextHop, false);
  }

  private writePlace(nextHop: NextHop, batch: BatchBuilder): void {
    const { id, standIn } = nextHop;
    if (id === 0) return;
    const { interfaceIndex, gateway } = placeOf(nextHop);
    batch.add({ kind: 'set-next-hop', id, interfaceIndex, gateway, replace: true }, (failure) => {
      if (nextHop.id !== id || nextHop.standIn !== standIn) return;
      nextHop.error = failureText(failure);
      // Where it leads now is not known: a new object is, and the old one goes as a leftover.
      this.forget(nextHop);
    });
  }

  private forget(nextHop: NextHop): NextHopId {
    const { id } = nextHop;
    this.byId.delete(id);
    nextHop.id = 0;
    nextHop.standIn = undefined;
    this.diverted.delete(nextHop);
    this.hooks.lost(id);
    this.hooks.changed(nextHop);
    this.usersChanged(nextHop);
    return id;
  }
}

/** Where the object leads in the kernel. */
export function placeOf(nextHop: NextHop): NextHop {
  return nextHop.standIn ?? nextHop;
}

function isSame(seen: KernelNextHop | undefined, nextHop: NextHop): boolean {
  const { interfaceIndex, gateway } = placeOf(nextHop);
  return seen?.interfaceIndex === interfaceIndex && equalBytes(seen.gateway, gateway);
}
