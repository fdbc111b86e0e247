/**
 * Adaptive load balancing as on Junos PTX: the traffic of each hash bucket is counted, and at each scan, where ports are off their due by more than a
 * tolerance, buckets move from those that carry too much to those that carry too little. The vendor prints no formula, ours is in `parts/rebalance.ts`.
 *
 * Routers scan every 30 s by what they counted in the last 2 s, ten thousand times the length of a simulation. Here both are scaled by 10^5, to
 * 300 us and 20 us; results hold for traffic that is as steady against these as training is against the router's. A scan that is due is done when the
 * next packet comes: no event runs, and nothing moves that would not have moved then.
 */
import { ROW, Word } from '../network/packets.js';
import { BucketTables } from './parts/bucket-tables.js';
import { refusesTableSize } from './parts/flowlet-table.js';
import { refusesCount, refusesRange } from './parts/option-range.js';
import { rebalance } from './parts/rebalance.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

const PS_PER_MICROSECOND = 1e6;

export type AlbOptions = {
  readonly buckets: number;
  readonly interval: number;
  readonly window: number;
  readonly tolerance: number;
  readonly moves: number;
};

export const alb: SchemeDefinition<AlbOptions> = {
  name: 'alb',
  summary:
    'hash buckets move away from ports that carry more than their due (Junos PTX adaptive load balancing, time scaled)',
  defaults: { buckets: 512, interval: 300, window: 20, tolerance: 20, moves: 8 },
  meaning: {
    buckets: 'hash buckets of a group of ports, a power of two',
    interval: 'time between two scans, microseconds (routers: 30 s)',
    window: 'traffic of this long before a scan is counted, microseconds (routers: 2 s)',
    tolerance: 'per cent that a port may be off its due before anything moves',
    moves: 'buckets that move in one scan at most (ours)',
  },
  refuses: (_, { buckets, interval, window, tolerance, moves }) =>
    refusesTableSize('buckets', buckets) ??
    refusesRange('interval', interval, 0.001, 1e9) ??
    refusesRange('window', window, 0.001, interval) ??
    refusesRange('tolerance', tolerance, 1, 100) ??
    refusesCount('moves', moves, 1, 65_536),
  create: (context, options) => new Alb(context, options),
};

export class Alb implements LoadBalancer {
  private scans = 0;
  private moves = 0;
  private readonly context: SchemeContext;
  private readonly options: AlbOptions;
  private readonly interval: number;
  /** Of each interval, when counting begins. */
  private readonly silence: number;
  private readonly tables: BucketTables;
  /** By group: octets of each bucket in the window of an interval, and which interval that is, counted from the start. */
  private readonly octets: Float64Array[] = [];
  private readonly counted: number[] = [];

  constructor(context: SchemeContext, options: AlbOptions) {
    this.context = context;
    this.options = options;
    this.interval = options.interval * PS_PER_MICROSECOND;
    this.silence = this.interval - options.window * PS_PER_MICROSECOND;
    this.tables = new BucketTables(context, options.buckets, (port) => this.weightOf(port));
  }

  choose(node: number, packet: number, group: number): number {
    const { events, packets } = this.context;
    const table = this.tables.of(group);
    const octets = this.octets[group] ?? this.watch(group);
    const interval = Math.floor(events.now / this.interval);
    if (interval !== this.counted[group]) this.scan(group, interval);
    const bucket = this.tables.bucketOf(table, node, packet);
    if (events.now - interval * this.interval >= this.silence)
      octets[bucket] = octets[bucket]! + packets.words[(packet << ROW) + Word.bytes]!;
    return table.portOf(bucket);
  }

  /** The buckets of a port that is down have to go elsewhere at once; one that came up gets buckets at the next scan. */
  linkChanged(port: number): void {
    if (this.context.ports.up[port] === 1) return;
    this.tables.forEachWith(port, (table, place) => table.leave(place));
  }

  counters(): Readonly<Record<string, number>> {
    return { scans: this.scans, moves: this.moves };
  }

  private watch(group: number): Float64Array {
    const octets = new Float64Array(this.options.buckets);
    this.octets[group] = octets;
    this.counted[group] = Math.floor(this.context.events.now / this.interval);
    return octets;
  }

  /** The scan at the end of the interval that was counted; those after it saw no traffic and moved nothing. */
  private scan(group: number, interval: number): void {
    const { places, ports } = this.tables.of(group);
    const octets = this.octets[group]!;
    const weights = ports.map((port) => (this.context.ports.up[port] === 1 ? this.weightOf(port) : 0));
    this.scans++;
    this.moves += rebalance({ places, octets, weights }, this.options);
    octets.fill(0);
    this.counted[group] = interval;
  }

  private weightOf(port: number): number {
    return 1 / this.context.ports.psPerOctet[port]!;
  }
}
