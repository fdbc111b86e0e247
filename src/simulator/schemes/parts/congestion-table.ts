/**
 * Congestion of ways between leaves, as a leaf keeps it: a metric for each other leaf and each uplink, and when it was learned (CONGA, section 3.3).
 * A metric that is not renewed for long counts as 0, and as not known.
 */
import type { EventQueue } from '../../engine/event-queue.js';

const NONE = -1;

export class CongestionTable {
  private readonly metrics: Int32Array;
  private readonly learnedAt: Float64Array;
  /** 1: not told since it changed. */
  private readonly changed: Uint8Array;
  /** By pair of leaves: the uplink that was told of last. */
  private readonly turn: Int32Array;
  private readonly events: EventQueue;
  private readonly leaves: number;
  private readonly uplinks: number;
  private readonly aging: number;

  /** @param aging picoseconds */
  constructor(events: EventQueue, leaves: number, uplinks: number, aging: number) {
    this.events = events;
    this.leaves = leaves;
    this.uplinks = uplinks;
    this.aging = aging;
    const size = leaves * leaves * uplinks;
    this.metrics = new Int32Array(size);
    this.learnedAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.changed = new Uint8Array(size);
    this.turn = new Int32Array(leaves * leaves);
  }

  set(leaf: number, other: number, uplink: number, metric: number): void {
    const at = this.at(leaf, other) + uplink;
    if (this.metrics[at] !== metric || !this.isKnown(at)) this.changed[at] = 1;
    this.metrics[at] = metric;
    this.learnedAt[at] = this.events.now;
  }

  metric(leaf: number, other: number, uplink: number): number {
    const at = this.at(leaf, other) + uplink;
    return this.isKnown(at) ? this.metrics[at]! : 0;
  }

  /** The uplink to tell of next: in turn, those that have changed first; -1: nothing is known. It then counts as told. */
  nextInTurn(leaf: number, other: number): number {
    const pair = leaf * this.leaves + other;
    const start = this.at(leaf, other);
    let next = NONE;
    for (let step = 1; step <= this.uplinks; step++) {
      const uplink = (this.turn[pair]! + step) % this.uplinks;
      if (!this.isKnown(start + uplink)) continue;
      if (next === NONE) next = uplink;
      if (this.changed[start + uplink] === 0) continue;
      next = uplink;
      break;
    }
    if (next === NONE) return NONE;
    this.turn[pair] = next;
    this.changed[start + next] = 0;
    return next;
  }

  /** Any uplink of which something is known, each as likely; -1: none. */
  any(leaf: number, other: number, random: () => number): number {
    const start = this.at(leaf, other);
    let known = 0;
    for (let uplink = 0; uplink < this.uplinks; uplink++) if (this.isKnown(start + uplink)) known++;
    if (known === 0) return NONE;
    let left = Math.floor(random() * known);
    for (let uplink = 0; ; uplink++) if (this.isKnown(start + uplink) && left-- === 0) return uplink;
  }

  private isKnown(at: number): boolean {
    return this.events.now - this.learnedAt[at]! <= this.aging;
  }

  private at(leaf: number, other: number): number {
    return (leaf * this.leaves + other) * this.uplinks;
  }
}
