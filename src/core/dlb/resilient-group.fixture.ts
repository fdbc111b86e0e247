/**
 * A resilient next-hop group of Linux in virtual time, with rate-limited links behind it and bursty flows in front: buckets of a
 * member that has more than its share move when they were idle for long enough (net/ipv4/nexthop.c, nh_res_bucket_migrate).
 * One step is a millisecond.
 */
import type { LoadReading } from '../ports/load-meters.js';

export interface FlowShape {
  /** Octets a millisecond while it sends. */
  readonly rate: number;
  /** Milliseconds, on average, of a burst and of the pause after it. */
  readonly burst: number;
  readonly pause: number;
}

interface Flow {
  readonly bucket: number;
  readonly shape: FlowShape;
  sending: boolean;
  until: number;
}

interface Link {
  /** Octets a millisecond. */
  readonly capacity: number;
  sent: number;
  queue: number;
  dropped: number;
}

export interface GroupModelOptions {
  readonly buckets: number;
  /** Milliseconds. */
  readonly idleTime: number;
  /** Octets a millisecond, one a link. */
  readonly capacities: readonly number[];
  /** Octets that wait at most. */
  readonly queueLimit: number;
  readonly flows: readonly FlowShape[];
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const MEMBER_IDS = 100;

export class GroupModel {
  now = 0;
  readonly members: readonly { id: number; interfaceIndex: number; due: number }[];
  readonly links: Link[];
  /** Octets that the flows gave to the group. */
  offered = 0;
  private readonly buckets: number[];
  private readonly lastUsed: number[];
  private readonly flows: Flow[];
  private shares: readonly number[];

  constructor(private readonly options: GroupModelOptions) {
    const { buckets, capacities, flows, random } = options;
    this.members = capacities.map((_, n) => ({ id: MEMBER_IDS + n, interfaceIndex: n + 1, due: 1 }));
    this.links = capacities.map((capacity) => ({ capacity, sent: 0, queue: 0, dropped: 0 }));
    this.shares = capacities.map(() => 1);
    this.buckets = Array.from({ length: buckets }, (_, bucket) => bucket % capacities.length);
    this.lastUsed = this.buckets.map(() => Number.NEGATIVE_INFINITY);
    this.flows = flows.map((shape) => {
      return { bucket: Math.floor(random() * buckets), shape, sending: false, until: shape.pause * random() };
    });
  }

  reweigh(shares: readonly number[]): void {
    this.shares = shares;
  }

  run(milliseconds: number): void {
    for (let i = 0; i < milliseconds; i++) this.step();
  }

  reading(): LoadReading {
    const links = this.links.map(({ sent, queue, capacity }, n) => {
      return { interfaceIndex: n + 1, octets: sent, backlog: queue, limit: capacity * 1000 };
    });
    return { links, groups: [] };
  }

  /** Largest over mean of what the links were given, relative to what they can carry. */
  get imbalance(): number {
    const parts = this.links.map(({ sent, dropped, queue, capacity }) => (sent + dropped + queue) / capacity);
    return Math.max(...parts) / (parts.reduce((sum, part) => sum + part, 0) / parts.length);
  }

  /** Part of what was offered that got through. */
  get goodput(): number {
    return this.links.reduce((sum, { sent }) => sum + sent, 0) / this.offered;
  }

  private step(): void {
    this.now++;
    for (const flow of this.flows) this.send(flow);
    for (const link of this.links) {
      const out = Math.min(link.queue, link.capacity);
      link.queue -= out;
      link.sent += out;
    }
    this.migrate();
  }

  private send(flow: Flow): void {
    const { random } = this.options;
    if (this.now >= flow.until) {
      flow.sending = !flow.sending;
      const mean = flow.sending ? flow.shape.burst : flow.shape.pause;
      flow.until = this.now - mean * Math.log(1 - random());
    }
    if (!flow.sending) return;
    const link = this.links[this.buckets[flow.bucket]!]!;
    this.lastUsed[flow.bucket] = this.now;
    this.offered += flow.shape.rate;
    const room = Math.min(flow.shape.rate, this.options.queueLimit - link.queue);
    link.queue += room;
    link.dropped += flow.shape.rate - room;
  }

  private migrate(): void {
    const total = this.shares.reduce((sum, share) => sum + share, 0);
    const wants = this.shares.map((share) => Math.round((share / total) * this.buckets.length));
    const has = this.shares.map(() => 0);
    for (const member of this.buckets) has[member]!++;
    for (const [bucket, member] of this.buckets.entries()) {
      if (has[member]! <= wants[member]! || this.now - this.lastUsed[bucket]! < this.options.idleTime) continue;
      const under = has.findIndex((count, candidate) => count < wants[candidate]!);
      if (under < 0) return;
      this.buckets[bucket] = under;
      has[member]!--;
      has[under]!++;
    }
  }
}
