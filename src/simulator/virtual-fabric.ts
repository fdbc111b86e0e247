/**
 * A whole fabric of speakers in one process on virtual time: nodes, hosts and the wires between them, failures of wires, and
 * packets walked through the forwarding tables hop by hop.
 */
import type { Address } from '../core/net/address.js';
import { contains } from '../core/net/prefix.js';
import type { EventLog } from '../core/ports/event-log.js';
import { AttributeTable } from '../core/route/attribute-table.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import { VirtualClock } from './virtual-clock.js';
import type { VirtualInterface } from './virtual-interface.js';
import { VirtualNode } from './virtual-node.js';
import { VirtualWire } from './virtual-wire.js';
import type { WireTap } from './wire-tap.js';

export interface WireEnd {
  readonly node: string;
  readonly interface: string;
}

export interface FabricShape {
  readonly routers: readonly { readonly name: string; readonly config: SpeakerConfig }[];
  readonly hosts: readonly string[];
  readonly wires: readonly { readonly a: WireEnd; readonly b: WireEnd }[];
}

export interface VirtualFabricOptions {
  readonly seed: number;
  /** One-way delay of a wire in milliseconds. */
  readonly delay: number;
  /** Where a node's events go. */
  readonly log: (node: string) => EventLog;
  /** All interfaces of a node have its MAC address, and so one link-local address, as the ports of many switches do. */
  readonly systemMac?: boolean;
  readonly tap?: WireTap;
  /**
   * One table of path attributes for all nodes: in a large fabric each set is in thousands of tables. What a node refers to when it is
   * killed stays in the table.
   */
  readonly sharedAttributes?: boolean;
  /** Milliseconds between what makes table work due at a node and the work; 0 when absent, and all other work takes no time. */
  readonly tableDelay?: number;
}

/** Values that are kept in a table which all nodes share: they are asked for in turn, by every node all of them. */
const SHARED_VALUES = 1 << 20;
/** Longest path a packet may take before the walk calls it a loop. */
const HOP_LIMIT = 16;

export class VirtualFabric {
  readonly clock = new VirtualClock();
  private readonly nodes = new Map<string, VirtualNode>();
  private readonly attributes: AttributeTable | undefined;
  private readonly owners = new Map<VirtualInterface, VirtualNode>();

  constructor(
    private readonly shape: FabricShape,
    private readonly options: VirtualFabricOptions,
  ) {
    if (options.sharedAttributes) this.attributes = new AttributeTable(SHARED_VALUES);
    for (const { name } of shape.routers) this.addNode(name);
    for (const name of shape.hosts) this.addNode(name);
    for (const { a, b } of shape.wires) this.addWire(a, b);
  }

  node(name: string): VirtualNode {
    const node = this.nodes.get(name);
    if (!node) throw new Error(`no node ${name}`);
    return node;
  }

  /** Starts every speaker with all wires down. */
  async start(): Promise<void> {
    for (const { name, config } of this.shape.routers) await this.node(name).start(config);
  }

  async stop(): Promise<void> {
    const stops = this.shape.routers.map(({ name }) => this.node(name).speaker?.stop());
    let stopped = false;
    const all = Promise.all(stops).then(() => {
      stopped = true;
    });
    await this.clock.runUntilDone(() => stopped, this.clock.now() + 10_000);
    await all;
  }

  /** Sets every interface up in the same instant. */
  raiseLinks(): void {
    for (const link of this.owners.keys()) link.setAdmin(true);
  }

  /** Pulls the cables between two nodes, or the `link`th of them: `a`'s end goes down, `b` loses carrier. */
  fail(a: string, b: string, link?: number): void {
    for (const end of this.between(a, b, link)) end.setAdmin(false);
  }

  heal(a: string, b: string, link?: number): void {
    for (const end of this.between(a, b, link)) end.setAdmin(true);
  }

  /** What `a` sends to `b` is lost from now on, or no more; neither end is told. */
  silence(a: string, b: string, silent = true): void {
    for (const end of this.between(a, b)) end.cable?.silence(end, silent);
  }

  /** Deletes the interfaces at both ends, as those of a veth pair go together. */
  remove(a: string, b: string, link?: number): void {
    for (const end of this.between(a, b, link)) {
      for (const one of [end, end.peer!]) {
        this.owners.get(one)?.removeInterface(one);
        this.owners.delete(one);
      }
    }
  }

  /** Makes the interfaces between two nodes anew, and sets them up. */
  restore(a: string, b: string, link?: number): void {
    for (const wire of this.wires(a, b, link)) for (const end of this.addWire(wire.a, wire.b)) end.setAdmin(true);
  }

  /** Every session that a live wire allows is up, and nothing is left to decide, to send or to install. */
  get converged(): boolean {
    return this.shape.routers.every(({ name }) => this.node(name).speaker?.convergence.duration !== undefined);
  }

  /**
   * Follows a packet from a host to an address; `flow` picks among equal next hops. The names of the nodes it passed, ending
   * with the host that got it; ending elsewhere when it was dropped there.
   */
  walk(fromHost: string, destination: Address, flow: number): string[] {
    return this.trace(fromHost, destination, flow).map(({ node }) => node);
  }

  /** The same walk, each node with the interface that the packet left it by; empty where it left none. */
  trace(fromHost: string, destination: Address, flow: number): WireEnd[] {
    const path: WireEnd[] = [];
    let egress = this.node(fromHost).links.byIndex(1);
    path.push({ node: fromHost, interface: egress?.name ?? '' });
    let at = this.enter(egress);
    while (at && path.length < HOP_LIMIT) {
      egress = this.egress(at, destination, flow);
      path.push({ node: at.name, interface: egress?.name ?? '' });
      at = this.enter(egress);
    }
    return path;
  }

  /**
   * Sends a packet that counts: it takes the buckets of the groups on its way, and a place in the queues of the interfaces. False when it
   * does not arrive at a host.
   */
  send(fromHost: string, destination: Address, { hash, octets }: { hash: number; octets: number }): boolean {
    let egress = this.node(fromHost).links.byIndex(1);
    let at = this.enter(egress);
    for (let hops = 0; at && hops < HOP_LIMIT; hops++) {
      if (!at.speaker) return true;
      egress = this.hostEgress(at, destination) ?? this.bucketEgress(at, destination, hash);
      if (!egress?.queue.offer(octets, this.clock.now())) return false;
      at = this.enter(egress);
    }
    return false;
  }

  /** The interface that packets of that hash leave a router by now. */
  placement(router: string, destination: Address, hash: number): string | undefined {
    const at = this.node(router);
    return (this.hostEgress(at, destination) ?? this.bucketEgress(at, destination, hash))?.name;
  }

  private bucketEgress(at: VirtualNode, destination: Address, hash: number): VirtualInterface | undefined {
    const group = at.tables.groupFor(destination);
    const nextHop = group && at.tables.nextHop(at.buckets.choose(group, hash, this.clock.now()));
    return nextHop && at.links.byIndex(nextHop.interfaceIndex);
  }

  private hostEgress(at: VirtualNode, destination: Address): VirtualInterface | undefined {
    const host = at.speaker?.hostLinks.find(({ config }) =>
      config.prefixes.some(({ prefix }) => contains(prefix, destination)),
    );
    return host?.state && at.links.byIndex(host.state.index);
  }

  private egress(at: VirtualNode, destination: Address, flow: number): VirtualInterface | undefined {
    const host = this.hostEgress(at, destination);
    if (host) return host;
    const shares = at.tables.lookup(destination).flatMap((one) => Array.from({ length: one.weight }, () => one));
    const nextHop = shares[flow % shares.length];
    return nextHop && at.links.byIndex(nextHop.interfaceIndex);
  }

  /** The node at the other end of an interface whose wire carries what leaves by it. */
  private enter(link: VirtualInterface | undefined): VirtualNode | undefined {
    const peer = link?.cable?.carriesFrom(link) ? link.peer : undefined;
    return peer && this.owners.get(peer);
  }

  private addNode(name: string): void {
    const { seed, log, tap, systemMac = false, tableDelay = 0 } = this.options;
    const number = this.nodes.size + 1;
    const directory = (end: VirtualInterface) => this.owners.get(end)?.transport;
    const { clock, attributes } = this;
    const shared = { clock, directory, seed, systemMac, attributes, tap, tableDelay };
    this.nodes.set(name, new VirtualNode(name, { ...shared, log: log(name), number }));
  }

  private addWire(a: WireEnd, b: WireEnd): VirtualInterface[] {
    const wire = new VirtualWire<VirtualInterface>(this.clock, this.options.delay);
    return [a, b].map((end) => {
      const node = this.node(end.node);
      const link = node.addInterface(end.interface);
      this.owners.set(link, node);
      link.plug(wire);
      return link;
    });
  }

  /** The interfaces of `a` whose wire leads to `b`. */
  between(a: string, b: string, link?: number): VirtualInterface[] {
    const near = this.node(a);
    const ends = this.wires(a, b, link).map((wire) => (wire.a.node === a ? wire.a : wire.b));
    const chosen = ends.flatMap((end) => near.links.byName(end.interface) ?? []);
    if (chosen.length === 0) throw new Error(`no link ${link ?? ''} between ${a} and ${b}`);
    return chosen;
  }

  /** Those between two nodes, or the `link`th of them; whether their interfaces are there or not. */
  private wires(a: string, b: string, link?: number): FabricShape['wires'] {
    const all = this.shape.wires.filter(
      (wire) => (wire.a.node === a && wire.b.node === b) || (wire.a.node === b && wire.b.node === a),
    );
    return link === undefined ? all : all.slice(link - 1, link);
  }
}
