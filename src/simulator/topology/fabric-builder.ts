/** Puts a topology together by names: hosts, switches of tiers, links. Numbers come last, when it is known how many hosts there are. */
import type { FabricLink, Topology } from '../network/topology.js';

type LinkProperties = Omit<FabricLink, 'a' | 'b'>;

export class FabricBuilder {
  private readonly hosts: string[] = [];
  private readonly switches: string[] = [];
  private readonly tiers: number[] = [];
  private readonly links: { lower: string; upper: string; properties: LinkProperties }[] = [];

  addHost(name: string): string {
    this.hosts.push(name);
    return name;
  }

  addSwitch(name: string, tier: number): string {
    this.switches.push(name);
    this.tiers.push(tier);
    return name;
  }

  link(lower: string, upper: string, properties: LinkProperties): void {
    this.links.push({ lower, upper, properties });
  }

  /** Nodes have their numbers in the order in which they were added, hosts first; links keep theirs. */
  build(): Topology {
    const names = [...this.hosts, ...this.switches];
    const numbers = new Map(names.map((name, node) => [name, node]));
    return {
      hosts: this.hosts.length,
      switches: this.switches.length,
      links: this.links.map(({ lower, upper, properties }) => ({
        a: numbers.get(lower)!,
        b: numbers.get(upper)!,
        ...properties,
      })),
      tiers: this.tiers,
      names,
    };
  }
}
