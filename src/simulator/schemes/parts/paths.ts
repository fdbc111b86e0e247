/**
 * Whole paths through the fabric, from a leaf to the leaf of an address, as lists of ports: for schemes that choose a path at its source and name it in
 * the packet. They are all the ways that the forwarding tables have, found when first asked for, and again after the tables have changed. A path
 * keeps its number for ever, so that packets on their way may name it.
 */
import { grown } from '../../../core/net/grown.js';
import type { Forwarding } from '../../network/forwarding.js';
import type { Ports } from '../../network/ports.js';

const NONE = -1;
/** Between two leaves of three tiers of switches there are four links. */
const MOST_HOPS = 4;

export class Paths {
  /** Propagation there and back, picoseconds, by path. */
  roundTrip = new Float64Array(64);
  private hops = new Int32Array(64 * MOST_HOPS);
  private readonly numbers = new Map<string, number>();
  private lists: (Int32Array | undefined)[] = [];
  private tables: Int32Array;
  private readonly forwarding: Forwarding;
  private readonly ports: Ports;

  constructor(forwarding: Forwarding, ports: Ports) {
    this.forwarding = forwarding;
    this.ports = ports;
    this.tables = forwarding.members;
  }

  /** The numbers of all paths from a leaf to an address of another. */
  to(leaf: number, address: number): Int32Array {
    const { forwarding } = this;
    if (this.tables !== forwarding.members) {
      this.tables = forwarding.members;
      this.lists = [];
    }
    const key = leaf * forwarding.prefixes + forwarding.prefixOf[address]!;
    const known = this.lists[key];
    if (known !== undefined) return known;
    const found = Int32Array.from(this.find(leaf, address, []));
    this.lists[key] = found;
    return found;
  }

  /** The port of a path at a switch, if the group (the ports that may be taken there) has it; -1 otherwise. */
  portAt(path: number, node: number, group: number): number {
    const { hops, ports, forwarding } = this;
    const end = (path + 1) * MOST_HOPS;
    for (let hop = path * MOST_HOPS; hop < end; hop++) {
      const port = hops[hop]!;
      if (port === NONE) return NONE;
      if (ports.node[port] === node) return forwarding.has(group, port) ? port : NONE;
    }
    return NONE;
  }

  private find(node: number, address: number, before: readonly number[]): number[] {
    const { forwarding, ports } = this;
    if (forwarding.leafOf[forwarding.hostOf[address]!] === node) return [this.number(before)];
    const group = forwarding.groupOf(node, address);
    if (group === NONE || before.length === MOST_HOPS) return [];
    const start = forwarding.start[group]!;
    return [...forwarding.members.subarray(start, start + forwarding.count[group]!)].flatMap((port) =>
      this.find(ports.node[ports.peer[port]!]!, address, [...before, port]),
    );
  }

  private number(path: readonly number[]): number {
    const key = path.join();
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(key, number);
    if (number === this.roundTrip.length) {
      this.roundTrip = grown(this.roundTrip, number * 2);
      this.hops = grown(this.hops, number * 2 * MOST_HOPS);
    }
    this.hops.fill(NONE, number * MOST_HOPS, (number + 1) * MOST_HOPS);
    this.hops.set(path, number * MOST_HOPS);
    this.roundTrip[number] = 2 * path.reduce((sum, port) => sum + this.ports.delay[port]!, 0);
    return number;
  }
}
