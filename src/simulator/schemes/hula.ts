/**
 * HULA (Katta et al., SOSR 2016): probes from every leaf tell every switch which of its ports is the best way to that leaf, and how busy the way is;
 * flowlets follow. Switches keep one best port a leaf, not paths, so it works with any number of tiers, and what is cut off is known from silence.
 */
import { KIND_MASK, PacketKind, ROW, Word } from '../network/packets.js';
import type { Topology } from '../network/topology.js';
import { Ecmp } from './ecmp.js';
import { Clos } from './parts/clos.js';
import { FlowletTable, refusesTableSize } from './parts/flowlet-table.js';
import { Herd } from './parts/herd.js';
import { refusesRange } from './parts/option-range.js';
import { RecentUtilisations } from './parts/recent-utilisations.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export type HulaOptions = {
  readonly probeInterval: number;
  readonly keepalive: number;
  readonly transmitInterval: number;
  readonly gap: number;
  readonly timeConstant: number;
  readonly flowlets: number;
};

const MOST_MICROSECONDS = 1e6;
/** The time constant is three probe intervals at least. */
const INTERVALS_AVERAGED = 3;

const DEFAULTS: HulaOptions = {
  probeInterval: 70,
  keepalive: 5,
  transmitInterval: 35,
  gap: 100,
  timeConstant: 210,
  flowlets: 65_536,
};

export const hula: SchemeDefinition<HulaOptions> = {
  name: 'hula',
  summary: 'flowlets follow probes that tell every switch the least busy way to each leaf (HULA, SOSR 2016)',
  defaults: DEFAULTS,
  defaultsWith: ({ probeInterval }) => ({
    ...DEFAULTS,
    transmitInterval: probeInterval / 2,
    timeConstant: Math.min(INTERVALS_AVERAGED * probeInterval, MOST_MICROSECONDS),
  }),
  meaning: {
    probeInterval: 'how often a leaf sends probes, microseconds',
    keepalive: 'probe intervals without a probe after which a best port is none',
    // The public model has 70 us for both: then a probe that is a packet's time early is not passed on, and that round is lost.
    transmitInterval:
      'how often a switch passes a probe of one leaf on, microseconds: less than the probe interval; not given: half of it',
    gap: 'the longest time between two packets of a flowlet, microseconds',
    timeConstant: 'of the average of utilisation, microseconds: three probe intervals or more; not given: three',
    flowlets: 'entries of the flowlet table of a switch, a power of two',
  },
  refuses,
  create: (context, options) => new Hula(context, options),
};

function refuses(_: Topology, options: HulaOptions): string | undefined {
  return (
    refusesRange('probeInterval', options.probeInterval, 1, MOST_MICROSECONDS) ??
    refusesRange('keepalive', options.keepalive, 1, 1000) ??
    refusesRange('transmitInterval', options.transmitInterval, 0, options.probeInterval) ??
    refusesRange('gap', options.gap, 0, MOST_MICROSECONDS) ??
    refusesRange('timeConstant', options.timeConstant, 1, MOST_MICROSECONDS) ??
    refusesTableSize('flowlets', options.flowlets)
  );
}

const ProbeWord = { leaf: Word.scheme, utilisation: Word.scheme + 1 } as const;
/** Of Ethernet the least: a probe has 32 bits. */
const PROBE_BYTES = 64;
/** The utilisation of a full link, as probes have it in 8 bits. */
const FULL = 255;
const NONE = -1;
const PS_PER_MICROSECOND = 1e6;

export class Hula implements LoadBalancer {
  private probes = 0;
  private flowlets = 0;
  private moves = 0;
  /** By switch and leaf: the best port, how busy the way is by it, when a probe last said so, and when one was last passed on. */
  private readonly bestPort: Int32Array;
  private readonly pathUtilisation: Int32Array;
  private readonly updatedAt: Float64Array;
  private readonly passedOnAt: Float64Array;
  /** Of each switch its ports to switches above and below. */
  private readonly up: readonly Int32Array[];
  private readonly down: readonly Int32Array[];
  /** By switch. */
  private readonly tables: readonly FlowletTable[];
  private readonly context: SchemeContext;
  private readonly options: HulaOptions;
  private readonly clos: Clos;
  private readonly utilisations: RecentUtilisations;
  private readonly ecmp: Ecmp;
  /** Between two probes all new flowlets to a leaf go the same way. */
  private readonly herd: Herd;
  private readonly keepalive: number;

  constructor(context: SchemeContext, options: HulaOptions = hula.defaults) {
    const { topology, ports, events } = context;
    this.context = context;
    this.options = options;
    this.clos = new Clos(topology);
    this.ecmp = new Ecmp(context);
    this.utilisations = new RecentUtilisations(ports, events, options.timeConstant * PS_PER_MICROSECOND);
    this.keepalive = options.keepalive * options.probeInterval * PS_PER_MICROSECOND;
    this.herd = new Herd(topology.switches, options.probeInterval * PS_PER_MICROSECOND);
    const size = topology.switches * this.clos.leaves.length;
    this.bestPort = new Int32Array(size).fill(NONE);
    this.pathUtilisation = new Int32Array(size);
    this.updatedAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.passedOnAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    const gap = options.gap * PS_PER_MICROSECOND;
    this.tables = topology.tiers.map(() => new FlowletTable(options.flowlets, gap));
    this.up = this.neighbours((tier, other) => other > tier);
    this.down = this.neighbours((tier, other) => other < tier);
    // Leaves are not in step with each other.
    const step = (options.probeInterval * PS_PER_MICROSECOND) / this.clos.leaves.length;
    this.clos.leaves.forEach((_, leaf) => {
      context.schedule(Math.round(leaf * step), leaf, 0);
    });
  }

  choose(node: number, packet: number, group: number): number {
    const { packets, forwarding, events } = this.context;
    if (!packets.isData(packet)) return this.ecmp.choose(node, packet, group);
    const table = this.tables[this.switchNumber(node)]!;
    const entry = table.entryOf(this.ecmp.hash(node, packet));
    const current = table.arrive(entry, events.now);
    if (current >= 0 && forwarding.has(group, current)) return current;
    const host = forwarding.hostOf[packets.words[(packet << ROW) + Word.destination]!]!;
    const best = this.best(node, this.clos.leafNumber[forwarding.leafOf[host]!]!);
    const port = best !== NONE && forwarding.has(group, best) ? best : this.ecmp.choose(node, packet, group);
    const before = table.portOf(entry);
    this.flowlets++;
    this.herd.began(this.switchNumber(node), port, forwarding.count[group]!, events.now);
    if (before >= 0 && before !== port) this.moves++;
    table.assign(entry, port);
    return port;
  }

  received(node: number, packet: number, ingress: number): boolean {
    const { words } = this.context.packets;
    const at = packet << ROW;
    if ((words[at]! & KIND_MASK) !== PacketKind.scheme) return true;
    const leaf = words[at + ProbeWord.leaf]!;
    const utilisation = words[at + ProbeWord.utilisation]!;
    this.context.discard(packet);
    this.learn(node, leaf, ingress, utilisation);
    return false;
  }

  departing(port: number, packet: number): void {
    if (this.clos.isFabric[port] === 1)
      this.utilisations.add(port, this.context.packets.words[(packet << ROW) + Word.bytes]!);
  }

  /** A leaf sends its probes. */
  timer(leaf: number): void {
    const node = this.clos.leaves[leaf]!;
    for (const port of this.up[this.switchNumber(node)]!) this.sendProbe(port, leaf, 0);
    this.context.schedule(this.options.probeInterval * PS_PER_MICROSECOND, leaf, 0);
  }

  /** The best port of a switch to a leaf, by its number; -1 when no probe has said of late. */
  best(node: number, leaf: number): number {
    const at = this.at(node, leaf);
    return this.isFresh(at) ? this.bestPort[at]! : NONE;
  }

  /** How busy the best way is, 0 to 255. */
  utilisationTo(node: number, leaf: number): number {
    return this.pathUtilisation[this.at(node, leaf)]!;
  }

  counters(): Readonly<Record<string, number>> {
    return { probes: this.probes, flowlets: this.flowlets, moves: this.moves, ...this.herd.counters() };
  }

  /** A probe of a leaf came in at a port: a way to that leaf is out by it. */
  private learn(node: number, leaf: number, ingress: number, told: number): void {
    const at = this.at(node, leaf);
    if (this.clos.leaves[leaf] === node) return;
    const local = Math.min(FULL, Math.floor(this.utilisations.utilisation(ingress) * FULL));
    const utilisation = Math.max(told, local);
    if (this.bestPort[at] === ingress || !this.isFresh(at) || utilisation < this.pathUtilisation[at]!) {
      this.bestPort[at] = ingress;
      this.pathUtilisation[at] = utilisation;
      this.updatedAt[at] = this.context.events.now;
    }
    if (this.clos.leafNumber[node]! < 0) this.passOn(node, leaf, ingress);
  }

  /** Down to all but where it came from, and up only what came from below: no probe goes round in a circle. */
  private passOn(node: number, leaf: number, ingress: number): void {
    const at = this.at(node, leaf);
    const { now } = this.context.events;
    if (now - this.passedOnAt[at]! < this.options.transmitInterval * PS_PER_MICROSECOND) return;
    this.passedOnAt[at] = now;
    const number = this.switchNumber(node);
    const utilisation = this.pathUtilisation[at]!;
    for (const port of this.down[number]!) if (port !== ingress) this.sendProbe(port, leaf, utilisation);
    if (!this.down[number]!.includes(ingress)) return;
    for (const port of this.up[number]!) this.sendProbe(port, leaf, utilisation);
  }

  private sendProbe(port: number, leaf: number, utilisation: number): void {
    if (this.context.ports.up[port] === 0) return;
    const probe = this.context.controlPacket(PROBE_BYTES);
    const { words } = this.context.packets;
    const at = probe << ROW;
    words[at + ProbeWord.leaf] = leaf;
    words[at + ProbeWord.utilisation] = utilisation;
    this.probes++;
    this.context.send(port, probe);
  }

  private isFresh(at: number): boolean {
    return this.context.events.now - this.updatedAt[at]! <= this.keepalive;
  }

  private at(node: number, leaf: number): number {
    return this.switchNumber(node) * this.clos.leaves.length + leaf;
  }

  private switchNumber(node: number): number {
    return node - this.context.topology.hosts;
  }

  private neighbours(isWanted: (tier: number, other: number) => boolean): Int32Array[] {
    const { topology, ports } = this.context;
    const found: number[][] = topology.tiers.map(() => []);
    ports.node.forEach((node, port) => {
      if (this.clos.isFabric[port] === 0) return;
      const from = this.switchNumber(node);
      const to = this.switchNumber(ports.node[ports.peer[port]!]!);
      if (isWanted(topology.tiers[from]!, topology.tiers[to]!)) found[from]!.push(port);
    });
    return found.map((list) => Int32Array.from(list));
  }
}
