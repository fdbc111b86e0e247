/**
 * What the switches' forwarding tables say, in the form a packet needs: for a switch and an address, the group of ports that are equal, with the
 * fallback group behind it. It is made from the tables of heddle's own speakers (`forwarding-tables.ts`) or from shortest paths, and changed while the
 * simulation runs, as those tables change. A port that is down leaves its groups at once, as in hardware; a group without ports is its fallback.
 */

import { grown } from '../../core/net/grown.js';
import { leavesOf, leavesOfHosts, type Topology } from './topology.js';

const NONE = -1;

export class Forwarding {
  /** Of each address its host. */
  readonly hostOf: Int32Array;
  /** Of each address its prefix. */
  readonly prefixOf: Int32Array;
  /** The switch a host is at, its node. */
  readonly leafOf: Int32Array;
  /** The leaf's port to a host. */
  readonly portToHost: Int32Array;
  readonly prefixes: number;
  /** Of each group its ports that are up: `members[start .. start + count)`. */
  start = new Int32Array(0);
  count = new Int32Array(0);
  members = new Int32Array(0);
  /** Of `members`. */
  private used = 0;
  private readonly groups: { ports: readonly number[]; fallback: number }[] = [];
  private readonly keys = new Map<string, number>();
  private readonly table: Int32Array;
  private readonly isUp: (port: number) => boolean;

  /** @param isUp whether a port can send */
  constructor(
    shape: {
      hostOf: Int32Array;
      prefixOf: Int32Array;
      leafOf: Int32Array;
      portToHost: Int32Array;
      prefixes: number;
      nodes: number;
    },
    isUp: (port: number) => boolean,
  ) {
    this.hostOf = shape.hostOf;
    this.prefixOf = shape.prefixOf;
    this.leafOf = shape.leafOf;
    this.portToHost = shape.portToHost;
    this.prefixes = shape.prefixes;
    this.table = new Int32Array(shape.nodes * shape.prefixes).fill(NONE);
    this.isUp = isUp;
  }

  /** What a switch does with a prefix from now on: these ports, and when none of them is up, those. */
  set(node: number, prefix: number, primary: readonly number[], fallback: readonly number[]): void {
    const behind = fallback.length === 0 ? NONE : this.group(fallback, NONE);
    this.table[node * this.prefixes + prefix] = primary.length === 0 ? behind : this.group(primary, behind);
  }

  /** The group for an address at a switch; -1: unreachable. Never asked for the host's own leaf. */
  groupOf(node: number, address: number): number {
    let group = this.table[node * this.prefixes + this.prefixOf[address]!]!;
    while (group !== NONE && this.count[group] === 0) group = this.groups[group]!.fallback;
    return group;
  }

  /** Whether packets for an address at a switch go by the group behind the one that is wanted. */
  isFallback(node: number, group: number, address: number): boolean {
    return this.table[node * this.prefixes + this.prefixOf[address]!] !== group;
  }

  /** Whether a port is one of a group's that are up. */
  has(group: number, port: number): boolean {
    const { members } = this;
    const start = this.start[group]!;
    const end = start + this.count[group]!;
    for (let at = start; at < end; at++) if (members[at] === port) return true;
    return false;
  }

  /** All groups that there are. */
  get size(): number {
    return this.groups.length;
  }

  /** All ports of a group, up or not. */
  portsOf(group: number): readonly number[] {
    return this.groups[group]!.ports;
  }

  /** A port went down or came up: groups have the ports that are up. */
  refresh(): void {
    const all = this.groups.map(({ ports }) => ports.filter((port) => this.isUp(port)));
    this.start = new Int32Array(all.length);
    this.count = Int32Array.from(all, (ports) => ports.length);
    this.members = Int32Array.from(all.flat());
    for (let group = 1; group < all.length; group++)
      this.start[group] = this.start[group - 1]! + this.count[group - 1]!;
    this.used = this.members.length;
  }

  /** A new group's ports that are up, behind those of all others. */
  private append(group: number, ports: readonly number[]): void {
    const up = ports.filter((port) => this.isUp(port));
    if (group >= this.start.length) {
      this.start = grown(this.start, 2 * group + 8);
      this.count = grown(this.count, 2 * group + 8);
    }
    while (this.used + up.length > this.members.length)
      this.members = grown(this.members, 2 * this.members.length + 64);
    this.members.set(up, this.used);
    this.start[group] = this.used;
    this.count[group] = up.length;
    this.used += up.length;
  }

  private group(ports: readonly number[], fallback: number): number {
    const key = `${ports.join()}|${fallback}`;
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    const made = this.groups.push({ ports: [...ports], fallback }) - 1;
    this.keys.set(key, made);
    this.append(made, ports);
    return made;
  }
}

/** Without routes yet. Hosts have an address in each plane, `host * planes + plane`, and each leaf a prefix for each, `leaf * planes + plane`. */
export function hostForwarding(topology: Topology, planes: number, isUp: (port: number) => boolean): Forwarding {
  const leafOf = leavesOfHosts(topology);
  const leaves = leavesOf(topology);
  const places = new Map(leaves.map((node, leaf) => [node, leaf]));
  const hostOf = Int32Array.from({ length: topology.hosts * planes }, (_, address) => Math.floor(address / planes));
  const portToHost = new Int32Array(topology.hosts);
  topology.links.forEach(({ a }, index) => {
    if (a < topology.hosts) portToHost[a] = index * 2 + 1;
  });
  const shape = {
    hostOf,
    prefixOf: hostOf.map((host, address) => places.get(leafOf[host]!)! * planes + (address % planes)),
    leafOf,
    portToHost,
    prefixes: leaves.length * planes,
    nodes: topology.hosts + topology.switches,
  };
  return new Forwarding(shape, isUp);
}
