/**
 * Static resilient hashing (Junos consistent hashing; resilient next-hop groups in Linux): the hash of a flow gives a bucket, and a bucket stays on its
 * port. When a port goes down only its buckets move, and they are back when it is; ECMP by modulus moves most flows.
 */
import { BucketTables } from './parts/bucket-tables.js';
import { refusesTableSize } from './parts/flowlet-table.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export type ResilientHashOptions = { readonly buckets: number };

export const resilientHash: SchemeDefinition<ResilientHashOptions> = {
  name: 'resilient-hash',
  summary: 'ECMP by a table of buckets: a port that goes down moves its own flows and no others',
  defaults: { buckets: 512 },
  meaning: { buckets: 'buckets of a group of ports, a power of two' },
  refuses: (_, { buckets }) => refusesTableSize('buckets', buckets),
  create: (context, options) => new ResilientHash(context, options),
};

export class ResilientHash implements LoadBalancer {
  private readonly context: SchemeContext;
  private readonly tables: BucketTables;

  constructor(context: SchemeContext, options: ResilientHashOptions) {
    this.context = context;
    this.tables = new BucketTables(context, options.buckets, () => 1);
  }

  choose(node: number, packet: number, group: number): number {
    const table = this.tables.of(group);
    return table.portOf(this.tables.bucketOf(table, node, packet));
  }

  linkChanged(port: number): void {
    const isUp = this.context.ports.up[port] === 1;
    this.tables.forEachWith(port, (table, place) => {
      if (isUp) table.comeHome(place);
      else table.leave(place);
    });
  }
}
