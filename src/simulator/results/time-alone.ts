/**
 * How long a flow takes that is alone in the fabric: what slowdowns are relative to. As the public ns-3 models count it: a round trip of the first
 * packet's payload, then everything at the rate of the slowest link of the way.
 */
import type { PacketSizes } from '../hosts/hosts.js';
import type { Topology } from '../network/topology.js';

const PS_PER_SECOND = 1e12;

interface Way {
  /** Sum of propagation, one way, picoseconds. */
  readonly delay: number;
  /** Sum of the time for an octet of every link, picoseconds. */
  readonly perOctet: number;
  /** Of the slowest link. */
  readonly slowest: number;
}

export class TimeAlone {
  private readonly ways = new Map<number, readonly (Way | undefined)[]>();
  private readonly links: readonly { to: number; delay: number; perOctet: number }[][];

  constructor(
    private readonly topology: Topology,
    private readonly sizes: PacketSizes,
  ) {
    const links: { to: number; delay: number; perOctet: number }[][] = Array.from(
      { length: topology.hosts + topology.switches },
      () => [],
    );
    for (const { a, b, rate, delay } of topology.links) {
      const perOctet = (8 * PS_PER_SECOND) / rate;
      links[a]!.push({ to: b, delay, perOctet });
      links[b]!.push({ to: a, delay, perOctet });
    }
    this.links = links;
  }

  /** Picoseconds from the start to the acknowledgement of the last packet. */
  of(source: number, destination: number, octets: number): number {
    const way = this.wayBetween(source, destination);
    const packets = Math.max(1, Math.ceil(octets / this.sizes.payload));
    const wire = octets + packets * this.sizes.overhead;
    return 2 * way.delay + way.perOctet * this.sizes.payload + wire * way.slowest;
  }

  private wayBetween(source: number, destination: number): Way {
    let ways = this.ways.get(source);
    if (!ways) {
      ways = this.waysFrom(source);
      this.ways.set(source, ways);
    }
    const way = ways[destination];
    if (!way) throw new Error(`no way from node ${source} to node ${destination}`);
    return way;
  }

  /** Breadth first: of ways of as few links the first that is found; fabrics have equal ones. */
  private waysFrom(source: number): readonly (Way | undefined)[] {
    const ways: (Way | undefined)[] = new Array(this.links.length).fill(undefined);
    ways[source] = { delay: 0, perOctet: 0, slowest: 0 };
    const queue = [source];
    for (const at of queue) {
      const way = ways[at]!;
      if (at !== source && at < this.topology.hosts) continue;
      for (const { to, delay, perOctet } of this.links[at]!) {
        if (ways[to]) continue;
        ways[to] = {
          delay: way.delay + delay,
          perOctet: way.perOctet + perOctet,
          slowest: Math.max(way.slowest, perOctet),
        };
        queue.push(to);
      }
    }
    return ways;
  }
}
