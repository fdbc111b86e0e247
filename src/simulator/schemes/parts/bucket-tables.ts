/** Bucket tables of all groups, each made when it is first asked for, and how the port of a packet is found by them. */
import { Ecmp } from '../ecmp.js';
import type { SchemeContext } from '../scheme.js';
import { BucketTable } from './bucket-table.js';

export class BucketTables {
  private readonly context: SchemeContext;
  private readonly size: number;
  private readonly weightOf: (port: number) => number;
  private readonly ecmp: Ecmp;
  private readonly tables: BucketTable[] = [];
  private readonly isUp: (port: number) => boolean;

  /**
   * @param size buckets of a group, a power of two
   * @param weightOf what a port gets of them, in proportion to others
   */
  constructor(context: SchemeContext, size: number, weightOf: (port: number) => number) {
    this.context = context;
    this.size = size;
    this.weightOf = weightOf;
    this.ecmp = new Ecmp(context);
    this.isUp = (port) => context.ports.up[port] === 1;
  }

  of(group: number): BucketTable {
    return this.tables[group] ?? this.make(group);
  }

  /** The bucket of a packet in the table of a group. */
  bucketOf(table: BucketTable, node: number, packet: number): number {
    return table.bucketOf(this.ecmp.hash(node, packet));
  }

  /** The table of each group that has the port, and its place there. */
  forEachWith(port: number, visit: (table: BucketTable, place: number) => void): void {
    this.tables.forEach((table) => {
      const place = table.ports.indexOf(port);
      if (place >= 0) visit(table, place);
    });
  }

  private make(group: number): BucketTable {
    const ports = this.context.forwarding.portsOf(group);
    const table = new BucketTable(this.size, ports, ports.map(this.weightOf), this.isUp);
    this.tables[group] = table;
    return table;
  }
}
