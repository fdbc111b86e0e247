/**
 * Neighbours hear of a prefix once we forward it: one that the kernel had no route for is told when what was to be written is, so
 * that no packet arrives before its route. Withdrawals, and other paths for what the kernel forwards already, are told at once.
 * RFC 4271 section 9.1.3 wants only routes announced that are used; RFC 4724 section 4.1 defers for the same reason.
 */
import type { Clock } from '../ports/clock.js';
import { PrefixSet } from '../rib/prefix-set.js';
import type { Rib } from '../rib/rib.js';
import type { PrefixId, RibSink } from '../rib/types.js';

/** Milliseconds after which the kernel is not waited for any longer: a table that is long, or that it refuses. */
const LONGEST_WAIT = 1000;
const SLICE = 256;

export interface AnnouncementsOptions {
  readonly rib: Pick<Rib, 'hold' | 'release' | 'bestPath'>;
  readonly clock: Clock;
  /** Who is told: the adj-rib-out groups. */
  readonly out: RibSink;
  /** Something that waited has been told. */
  readonly changed: () => void;
}

export class Announcements implements RibSink {
  private readonly waiting = new PrefixSet();
  private readonly slice = new Uint32Array(SLICE);
  private told = new Uint32Array(SLICE);
  private cancelLimit: (() => void) | undefined;

  constructor(private readonly options: AnnouncementsOptions) {}

  get everyChange(): boolean {
    return this.options.out.everyChange === true;
  }

  /** The kernel has no route for it yet. */
  wait(id: PrefixId): void {
    if (this.waiting.add(id)) this.options.rib.hold(id);
  }

  /** To be told when the kernel has been given what waits: the wait is limited from here on. A timer is set beside the way of a route, not on it. */
  limit(): void {
    if (this.waiting.size === 0) return;
    const { clock } = this.options;
    this.cancelLimit ??= clock.schedule(clock.now() + LONGEST_WAIT, () => this.tell());
  }

  prefixesChanged(ids: Uint32Array, count: number): void {
    const { out, rib } = this.options;
    if (this.waiting.size === 0) return out.prefixesChanged(ids, count);
    if (this.told.length < count) this.told = new Uint32Array(ids.length);
    let told = 0;
    for (let i = 0; i < count; i++) {
      const id = ids[i]!;
      if (!this.waiting.has(id) || rib.bestPath(id) === undefined) this.told[told++] = id;
    }
    if (told > 0) out.prefixesChanged(this.told, told);
  }

  /** What waited is in the kernel, or has waited long enough. */
  tell(): void {
    this.cancelLimit?.();
    this.cancelLimit = undefined;
    if (this.waiting.size === 0) return;
    const { out, rib, changed } = this.options;
    for (let count = this.waiting.take(this.slice); count > 0; count = this.waiting.take(this.slice)) {
      out.prefixesChanged(this.slice, count);
      for (let i = 0; i < count; i++) rib.release(this.slice[i]!);
    }
    changed();
  }
}
