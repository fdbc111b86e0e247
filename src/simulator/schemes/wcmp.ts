/**
 * Weighted-cost multipath (WCMP, EuroSys 2014): the hash of a flow over buckets that are shared out by the rates of the ports. A switch knows the rates
 * of its own ports and no others. When one changes or goes down, the table is dealt anew, as the table of a plain group is.
 */
import { BucketTables } from './parts/bucket-tables.js';
import { refusesTableSize } from './parts/flowlet-table.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export type WcmpOptions = { readonly buckets: number };

export const wcmp: SchemeDefinition<WcmpOptions> = {
  name: 'wcmp',
  summary: 'ECMP with weights: of unequal ports each gets flows by its rate',
  defaults: { buckets: 512 },
  meaning: { buckets: 'entries by which the weights of a group of ports are approached, a power of two' },
  refuses: (_, { buckets }) => refusesTableSize('buckets', buckets),
  create: (context, options) => new Wcmp(context, options),
};

export class Wcmp implements LoadBalancer {
  private readonly context: SchemeContext;
  private readonly tables: BucketTables;

  constructor(context: SchemeContext, options: WcmpOptions) {
    this.context = context;
    this.tables = new BucketTables(context, options.buckets, (port) => this.rateOf(port));
  }

  choose(node: number, packet: number, group: number): number {
    const table = this.tables.of(group);
    return table.portOf(this.tables.bucketOf(table, node, packet));
  }

  linkChanged(port: number): void {
    this.tables.forEachWith(port, (table) => table.deal(table.ports.map((one) => this.rateOf(one))));
  }

  private rateOf(port: number): number {
    return 1 / this.context.ports.psPerOctet[port]!;
  }
}
