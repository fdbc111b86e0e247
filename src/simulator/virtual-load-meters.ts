/** The load meters of one simulated node: the counters of its interfaces' queues and of its groups. */
import type { Clock } from '../core/ports/clock.js';
import type { LoadMeters, LoadReading } from '../core/ports/load-meters.js';
import type { ResilientBuckets } from './resilient-buckets.js';
import type { VirtualLinks } from './virtual-links.js';

export class VirtualLoadMeters implements LoadMeters {
  constructor(
    private readonly clock: Clock,
    private readonly links: VirtualLinks,
    private readonly buckets: ResilientBuckets,
  ) {}

  async read({ groups }: { readonly groups: boolean }): Promise<LoadReading> {
    const links = [...this.links.all()].map(({ index: interfaceIndex, queue }) => {
      queue.drain(this.clock.now());
      const { sent: octets, backlog, limit } = queue;
      return { interfaceIndex, octets, backlog, ...(limit !== undefined && { limit }) };
    });
    return { links, groups: groups ? this.buckets.counts() : [] };
  }
}
