/**
 * CAVER (SIGCOMM 2024 posters): ACKs on their hashed ways look for ways for data the other way round. Each switch keeps the best route to a host and one
 * that is good enough, and swaps the latter with the one that an ACK brings (give and take), so that senders' leaves come to know several good
 * routes; a new flow takes one that no other has taken, as a source route. Its public ns-3 model has what the poster leaves open.
 *
 * What is not of that model: all data counts as load, not only what is source-routed; a good route is forgotten like a best one; and where a
 * source route leads out of what the forwarding tables have, the packet is hashed from there on.
 */
import { KIND_MASK, PacketKind, ROW, Word } from '../../network/packets.js';
import { type Topology, tiersOf } from '../../network/topology.js';
import { Ecmp } from '../ecmp.js';
import { Clos } from '../parts/clos.js';
import { FlowletTable, refusesTableSize } from '../parts/flowlet-table.js';
import { refusesCount, refusesRange } from '../parts/option-range.js';
import { RateEstimators } from '../parts/rate-estimators.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from '../scheme.js';
import { PathTable } from './path-table.js';
import { RouteMemory } from './route-memory.js';
import { MOST_PORTS, mostPortsOf, SourceRoutes } from './source-route.js';

export type CaverOptions = {
  readonly interval: number;
  readonly decay: number;
  readonly gap: number;
  readonly aging: number;
  readonly coefficient: number;
  readonly validity: number;
  readonly paths: number;
  readonly flows: number;
};

export const caver: SchemeDefinition<CaverOptions> = {
  name: 'caver',
  summary: 'new flows take source routes that ACKs have found and no other flow has (CAVER, SIGCOMM 2024 posters)',
  defaults: {
    interval: 50,
    decay: 0.2,
    gap: 2000,
    aging: 500,
    coefficient: 1.5,
    validity: 10_000,
    paths: 5,
    flows: 65_536,
  },
  meaning: {
    interval: "how often a link's estimate decays, microseconds",
    decay: 'the share that a decay takes away',
    gap: 'the silence after which a flow takes another route, microseconds',
    aging: 'when the best and the good route of a switch are forgotten, microseconds',
    coefficient: 'a route is good whose free capacity times this is that of the best or more',
    validity: 'how long a leaf gives a route to new flows, microseconds',
    paths: 'routes that a leaf keeps for each host',
    flows: 'entries of the flow table of a leaf, a power of two',
  },
  refuses,
  create: (context, options) => new Caver(context, options),
};

function refuses(topology: Topology, options: CaverOptions): string | undefined {
  const [tiers, ports] = [tiersOf(topology), mostPortsOf(topology)];
  if (tiers > 3) return `a fabric of ${tiers} tiers: a source route has four ports, so three at most`;
  if (ports > MOST_PORTS)
    return `a switch of ${ports} ports: a source route has 8 bits for each, so ${MOST_PORTS} at most`;
  return (
    refusesRange('interval', options.interval, 0.001, 1e6) ??
    refusesRange('decay', options.decay, 0.001, 0.99) ??
    refusesRange('gap', options.gap, 0, 1e7) ??
    refusesRange('aging', options.aging, 0, 1e7) ??
    refusesRange('coefficient', options.coefficient, 1, 256) ??
    refusesRange('validity', options.validity, 0, 1e7) ??
    refusesCount('paths', options.paths, 1, 255) ??
    refusesTableSize('flows', options.flows)
  );
}

/** A data packet's source route from the switch that it is in; 0: none. */
const ROUTE = Word.scheme;

/** What an ACK carries. */
const AckWord = {
  /** The host that its routes lead to, plus one; 0: not on its way through switches yet. */
  host: Word.scheme,
  /** A route that is good (M path), and the best one, from the switch before. */
  good: Word.scheme + 1,
  best: Word.scheme + 2,
  /** How congested they are. */
  goodCongestion: Word.scheme + 3,
  bestCongestion: Word.scheme + 4,
} as const;

/** Congestion of a full link. */
const FULL = 256;
const PS_PER_MICROSECOND = 1e6;

export class Caver implements LoadBalancer {
  readonly best: RouteMemory;
  readonly good: RouteMemory;
  readonly pathTable: PathTable;
  readonly routes: SourceRoutes;
  private unused = 0;
  private reused = 0;
  private hashed = 0;
  private strayed = 0;
  private readonly context: SchemeContext;
  private readonly options: CaverOptions;
  private readonly clos: Clos;
  private readonly estimators: RateEstimators;
  private readonly ecmp: Ecmp;
  /** Of each leaf its flows, and by their entries the routes; 0: hashed. */
  private readonly flows: readonly FlowletTable[];
  private readonly flowRoutes: readonly Int32Array[];
  private readonly flowHosts: readonly Int32Array[];
  /** Of each leaf its hosts, and whose turn it is to have routes found for. */
  private readonly hostsOf: readonly number[][];
  private readonly hostTurn: Int32Array;

  constructor(context: SchemeContext, options: CaverOptions = caver.defaults) {
    const { topology, events, ports, forwarding } = context;
    this.context = context;
    this.options = options;
    this.clos = new Clos(topology);
    this.ecmp = new Ecmp(context);
    const { decay } = options;
    this.estimators = new RateEstimators(ports, events, { interval: options.interval * PS_PER_MICROSECOND, decay });
    this.routes = new SourceRoutes(topology, ports);
    const aging = options.aging * PS_PER_MICROSECOND;
    this.best = new RouteMemory(events, topology.switches * topology.hosts, aging);
    this.good = new RouteMemory(events, topology.switches * topology.hosts, aging);
    const { leaves } = this.clos;
    const validity = options.validity * PS_PER_MICROSECOND;
    this.pathTable = new PathTable(events, leaves.length * topology.hosts, options.paths, validity);
    this.flows = Array.from(leaves, () => new FlowletTable(options.flows, options.gap * PS_PER_MICROSECOND));
    this.flowRoutes = Array.from(leaves, () => new Int32Array(options.flows));
    this.flowHosts = Array.from(leaves, () => new Int32Array(options.flows));
    this.hostsOf = Array.from(leaves, () => []);
    for (let host = 0; host < topology.hosts; host++)
      this.hostsOf[this.clos.leafNumber[forwarding.leafOf[host]!]!]!.push(host);
    this.hostTurn = new Int32Array(leaves.length);
  }

  choose(node: number, packet: number, group: number): number {
    const { packets, forwarding } = this.context;
    if (!packets.isData(packet)) return this.ecmp.choose(node, packet, group);
    const at = packet << ROW;
    const leaf = this.clos.leafNumber[node]!;
    if (leaf >= 0) packets.words[at + ROUTE] = this.routeOf(leaf, node, packet);
    const route = packets.words[at + ROUTE]!;
    if (route === 0) return this.ecmp.choose(node, packet, group);
    const port = this.routes.portAt(node, route);
    if (port >= 0 && forwarding.has(group, port)) return port;
    this.strayed++;
    packets.words[at + ROUTE] = 0;
    return this.ecmp.choose(node, packet, group);
  }

  received(node: number, packet: number, ingress: number): boolean {
    const { words } = this.context.packets;
    const at = packet << ROW;
    const kind = words[at]! & KIND_MASK;
    const isFromSwitch = this.clos.isFabric[ingress] === 1;
    if (kind === PacketKind.data && isFromSwitch) words[at + ROUTE] = this.routes.rest(words[at + ROUTE]!);
    if (kind !== PacketKind.ack) return true;
    if (!isFromSwitch) this.stamp(node, at);
    else if (words[at + AckWord.host] !== 0) this.learn(node, at, ingress);
    return true;
  }

  queueing(port: number, packet: number): void {
    const { packets } = this.context;
    if (packets.isData(packet)) this.estimators.add(port, packets.words[(packet << ROW) + Word.bytes]!);
  }

  counters(): Readonly<Record<string, number>> {
    const { unused, reused, hashed, strayed } = this;
    return { unused, reused, hashed, strayed };
  }

  /** Where a switch has what it remembers of a host. */
  at(node: number, host: number): number {
    return (node - this.context.topology.hosts) * this.context.topology.hosts + host;
  }

  /** How congested a link is, 0 to 256. */
  congestion(port: number): number {
    return Math.min(FULL, this.estimators.level(port, FULL));
  }

  /** The first switch of an ACK: it is to find routes to one of the hosts there. */
  private stamp(node: number, at: number): void {
    const { words } = this.context.packets;
    const leaf = this.clos.leafNumber[node]!;
    const hosts = this.hostsOf[leaf]!;
    const turn = this.hostTurn[leaf]!;
    this.hostTurn[leaf] = (turn + 1) % hosts.length;
    const host = hosts[turn]!;
    const congestion = this.congestion(this.context.forwarding.portToHost[host]!);
    words[at + AckWord.host] = host + 1;
    words[at + AckWord.good] = 0;
    words[at + AckWord.best] = 0;
    words[at + AckWord.goodCongestion] = congestion;
    words[at + AckWord.bestCongestion] = congestion;
  }

  /** An ACK came in at the port by which data would leave for its host. */
  private learn(node: number, at: number, ingress: number): void {
    const { words } = this.context.packets;
    const host = words[at + AckWord.host]! - 1;
    const entry = this.at(node, host);
    const best = this.improve(entry, node, at, ingress);
    const told = words[at + AckWord.goodCongestion]!;
    const total = Math.max(told, this.congestion(ingress));
    const isGood = (FULL - total) * this.options.coefficient >= FULL - best;
    const route = isGood ? this.routes.before(ingress, words[at + AckWord.good]!) : this.best.route(entry);
    const remote = isGood ? told : this.best.remote(entry);
    const leaf = this.clos.leafNumber[node]!;
    if (leaf >= 0) {
      this.pathTable.push(leaf * this.context.topology.hosts + host, route);
      return;
    }
    this.swap(entry, node, at, route, remote);
    words[at + AckWord.best] = this.best.route(entry);
    words[at + AckWord.bestCongestion] = best;
  }

  /** Keeps the best route of an ACK if it is the better one; how congested the best is then. */
  private improve(entry: number, node: number, at: number, ingress: number): number {
    const { words } = this.context.packets;
    const told = words[at + AckWord.bestCongestion]!;
    const total = Math.max(told, this.congestion(ingress));
    if (this.best.has(entry)) {
      const first = this.routes.portAt(node, this.best.route(entry));
      const current = Math.max(this.best.remote(entry), this.congestion(first));
      if (current < total && first !== ingress) return current;
    }
    this.best.store(entry, this.routes.before(ingress, words[at + AckWord.best]!), told);
    return total;
  }

  /** Give and take: the ACK goes on with the good route that was kept, and leaves its own. */
  private swap(entry: number, node: number, at: number, route: number, remote: number): void {
    const { words } = this.context.packets;
    const had = this.good.has(entry);
    const given = had ? this.good.route(entry) : route;
    const behind = had ? this.good.remote(entry) : remote;
    words[at + AckWord.good] = given;
    words[at + AckWord.goodCongestion] = Math.max(behind, this.congestion(this.routes.portAt(node, given)));
    this.good.store(entry, route, remote);
  }

  /** The route of a data packet's flow at its leaf; 0: hashed. */
  private routeOf(leaf: number, node: number, packet: number): number {
    const { forwarding, packets, topology, events } = this.context;
    const flows = this.flows[leaf]!;
    const routes = this.flowRoutes[leaf]!;
    const hosts = this.flowHosts[leaf]!;
    const entry = flows.entryOf(this.ecmp.hash(node, packet));
    const host = forwarding.hostOf[packets.words[(packet << ROW) + Word.destination]!]!;
    if (flows.arrive(entry, events.now) < 0) {
      routes[entry] = this.pick(leaf * topology.hosts + host);
      hosts[entry] = host;
      flows.assign(entry, 0);
    }
    // Of two flows on one entry the second is hashed if it goes elsewhere: the route of the first does not lead there.
    return hosts[entry] === host ? routes[entry]! : 0;
  }

  private pick(at: number): number {
    const unused = this.pathTable.takeUnused(at);
    const route = unused === 0 ? this.pathTable.any(at, this.context.random) : unused;
    if (unused !== 0) this.unused++;
    else if (route !== 0) this.reused++;
    else this.hashed++;
    return route;
  }
}
