/**
 * CONGA (Alizadeh et al., SIGCOMM 2014): leaves send each flowlet by the uplink whose way to the other leaf is the least congested at its most congested
 * link. Links measure themselves, packets carry the worst of their way in a header of the overlay, and leaves feed it back on packets the other way.
 * A profile has the constants: those of the paper, or those of the public ns-3 models of RoCEv2 fabrics, never a mix unless options ask for it.
 */
import { ROW, Word } from '../network/packets.js';
import { type Topology, tiersOf } from '../network/topology.js';
import { Ecmp } from './ecmp.js';
import { Clos } from './parts/clos.js';
import { CongestionTable } from './parts/congestion-table.js';
import { FlowletTable, refusesTableSize } from './parts/flowlet-table.js';
import { refusesCount, refusesRange } from './parts/option-range.js';
import { RateEstimators } from './parts/rate-estimators.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export type CongaOptions = {
  readonly profile: string;
  readonly gap: number;
  readonly interval: number;
  readonly decay: number;
  readonly bits: number;
  readonly aging: number;
  readonly flowlets: number;
};

/** Times in microseconds. */
interface CongaProfile {
  readonly gap: number;
  readonly interval: number;
  readonly decay: number;
  readonly aging: number;
  /** Only data is measured, where it joins a queue; levels have no last one, so a queue that grows shows. Otherwise all that is sent. */
  readonly byDemand: boolean;
  /** Uplinks that are compared, one after the other from a random one on. */
  readonly candidates: number;
  /** Of equally good uplinks the one of the flowlet before is kept. */
  readonly sticky: boolean;
  /** Feedback goes out in turn, what has changed first, and on ACKs as well. Otherwise drawn at random, on data. */
  readonly inTurn: boolean;
}

const PROFILES: Readonly<Record<string, CongaProfile>> = {
  // The paper gives the time constant, 160 us; that it is eight times 20 us is ours.
  paper: {
    gap: 500,
    interval: 20,
    decay: 1 / 8,
    aging: 10_000,
    byDemand: false,
    candidates: Number.POSITIVE_INFINITY,
    sticky: true,
    inTurn: true,
  },
  ns3: { gap: 100, interval: 50, decay: 0.2, aging: 500, byDemand: true, candidates: 4, sticky: false, inTurn: false },
};

export const conga: SchemeDefinition<CongaOptions> = {
  name: 'conga',
  summary: 'each flowlet by the way that leaves have told each other is the least congested (CONGA, SIGCOMM 2014)',
  defaults: { profile: 'ns3', gap: 0, interval: 0, decay: 0, bits: 3, aging: 0, flowlets: 65_536 },
  meaning: {
    profile: 'whose constants and details: ns3 (the public models of RoCEv2 fabrics) or paper',
    gap: "the longest time between two packets of a flowlet, microseconds; 0: the profile's (ns3 100, paper 500)",
    interval: "how often a link's estimate decays, microseconds; 0: the profile's (ns3 50, paper 20)",
    decay: "the share that a decay takes away; 0: the profile's (ns3 0.2, paper 0.125)",
    bits: 'bits of a congestion metric',
    aging: "when a metric that is not renewed counts as none, microseconds; 0: the profile's (ns3 500, paper 10000)",
    flowlets: 'entries of the flowlet table of a leaf, a power of two',
  },
  refuses,
  create: (context, options) => new Conga(context, options),
};

function refuses(topology: Topology, options: CongaOptions): string | undefined {
  if (tiersOf(topology) > 2)
    return `a fabric of ${tiersOf(topology)} tiers: CONGA's leaves know uplinks, not ways, so two tiers at most`;
  if (PROFILES[options.profile] === undefined) return `profile ${options.profile}: not paper or ns3`;
  return (
    refusesRange('gap', options.gap, 0, 1e6) ??
    refusesRange('interval', options.interval, 0, 1e6) ??
    refusesRange('decay', options.decay, 0, 0.99) ??
    refusesCount('bits', options.bits, 1, 8) ??
    refusesRange('aging', options.aging, 0, 1e7) ??
    refusesTableSize('flowlets', options.flowlets)
  );
}

/** The header that a packet carries between leaves. */
const CongaWord = {
  /** The leaf that it came in at, plus one; 0: no header. */
  leaf: Word.scheme,
  /** Of data: the uplink that it took (LBTag), plus one; 0: not measured. The worst link of its way (CE). */
  uplink: Word.scheme + 1,
  congestion: Word.scheme + 2,
  /** An uplink of the leaf that it goes to, plus one (0: none), and the metric that is told of it. */
  feedbackUplink: Word.scheme + 3,
  feedback: Word.scheme + 4,
} as const;

const PS_PER_MICROSECOND = 1e6;

export class Conga implements LoadBalancer {
  /** What a leaf was told of its uplinks towards another leaf (Congestion-To-Leaf), and what it is to tell (Congestion-From-Leaf). */
  readonly toLeaf: CongestionTable;
  readonly fromLeaf: CongestionTable;
  readonly queueing?: (port: number, packet: number) => void;
  readonly departing?: (port: number, packet: number) => void;
  private flowlets = 0;
  private moves = 0;
  private readonly context: SchemeContext;
  private readonly profile: CongaProfile;
  private readonly levels: number;
  private readonly clos: Clos;
  private readonly estimators: RateEstimators;
  private readonly ecmp: Ecmp;
  private readonly tables: FlowletTable[];
  /** Of each port of a leaf its number among the fabric ports there. */
  private readonly uplinkNumber: Int32Array;

  constructor(context: SchemeContext, options: CongaOptions = conga.defaults) {
    const profile = PROFILES[options.profile]!;
    this.context = context;
    this.profile = profile;
    this.levels = 2 ** options.bits;
    this.clos = new Clos(context.topology);
    this.ecmp = new Ecmp(context);
    this.estimators = new RateEstimators(context.ports, context.events, {
      interval: (options.interval || profile.interval) * PS_PER_MICROSECOND,
      decay: options.decay || profile.decay,
    });
    const gap = (options.gap || profile.gap) * PS_PER_MICROSECOND;
    this.tables = Array.from(this.clos.leaves, () => new FlowletTable(options.flowlets, gap));
    this.uplinkNumber = this.numberUplinks();
    const uplinks = Math.max(...this.uplinkNumber) + 1;
    const aging = (options.aging || profile.aging) * PS_PER_MICROSECOND;
    this.toLeaf = new CongestionTable(context.events, this.clos.leaves.length, uplinks, aging);
    this.fromLeaf = new CongestionTable(context.events, this.clos.leaves.length, uplinks, aging);
    if (profile.byDemand) this.queueing = (port, packet) => this.measure(port, packet);
    else this.departing = (port, packet) => this.measure(port, packet);
  }

  choose(node: number, packet: number, group: number): number {
    const from = this.clos.leafNumber[node]!;
    // Between spine and leaf there may be parallel links: those are hashed.
    if (from < 0) return this.ecmp.choose(node, packet, group);
    const { packets, forwarding } = this.context;
    const at = packet << ROW;
    const isData = packets.isData(packet);
    const to = this.clos.leafNumber[forwarding.leafOf[forwarding.hostOf[packets.words[at + Word.destination]!]!]!]!;
    if (isData || this.profile.inTurn) this.feedBack(at, from, to);
    if (!isData) return this.ecmp.choose(node, packet, group);
    const table = this.tables[from]!;
    const entry = table.entryOf(this.ecmp.hash(node, packet));
    const current = table.arrive(entry, this.context.events.now);
    const goesOn = current >= 0 && forwarding.has(group, current);
    const port = goesOn ? current : this.begin(table, entry, group, from, to);
    packets.words[at + CongaWord.uplink] = this.uplinkNumber[port]! + 1;
    packets.words[at + CongaWord.congestion] = 0;
    return port;
  }

  received(node: number, packet: number): boolean {
    const { words } = this.context.packets;
    const at = packet << ROW;
    const from = words[at + CongaWord.leaf]! - 1;
    const leaf = this.clos.leafNumber[node]!;
    if (from < 0 || leaf < 0) return true;
    const uplink = words[at + CongaWord.uplink]! - 1;
    if (uplink >= 0) this.fromLeaf.set(leaf, from, uplink, words[at + CongaWord.congestion]!);
    const told = words[at + CongaWord.feedbackUplink]! - 1;
    if (told >= 0) this.toLeaf.set(leaf, from, told, words[at + CongaWord.feedback]!);
    return true;
  }

  counters(): Readonly<Record<string, number>> {
    return { flowlets: this.flowlets, moves: this.moves };
  }

  private numberUplinks(): Int32Array {
    const numbers = new Int32Array(this.context.ports.count).fill(-1);
    const next = new Int32Array(this.clos.leaves.length);
    this.context.ports.node.forEach((node, port) => {
      const leaf = this.clos.leafNumber[node]!;
      if (leaf < 0 || this.clos.isFabric[port] === 0) return;
      numbers[port] = next[leaf]!;
      next[leaf] = next[leaf]! + 1;
    });
    return numbers;
  }

  /** Puts what is to be told of one uplink of the other leaf into a packet that goes there. */
  private feedBack(at: number, from: number, to: number): void {
    const { words } = this.context.packets;
    words[at + CongaWord.leaf] = from + 1;
    const uplink = this.profile.inTurn
      ? this.fromLeaf.nextInTurn(from, to)
      : this.fromLeaf.any(from, to, this.context.random);
    words[at + CongaWord.feedbackUplink] = uplink + 1;
    words[at + CongaWord.feedback] = uplink < 0 ? 0 : this.fromLeaf.metric(from, to, uplink);
  }

  private begin(table: FlowletTable, entry: number, group: number, from: number, to: number): number {
    const before = table.portOf(entry);
    const port = this.best(group, from, to, this.profile.sticky ? before : -1);
    this.flowlets++;
    if (before >= 0 && port !== before) this.moves++;
    table.assign(entry, port);
    return port;
  }

  /** The uplink with the least congestion at the worst link of its way; of equal ones the preferred, else any. */
  private best(group: number, from: number, to: number, preferred: number): number {
    const { forwarding, random } = this.context;
    const start = forwarding.start[group]!;
    const count = forwarding.count[group]!;
    const candidates = Math.min(count, this.profile.candidates);
    const first = start + Math.floor(random() * (count - candidates + 1));
    let least = Number.POSITIVE_INFINITY;
    let equal = 0;
    let chosen = -1;
    for (let at = first; at < first + candidates; at++) {
      const port = forwarding.members[at]!;
      const metric = Math.max(this.level(port), this.toLeaf.metric(from, to, this.uplinkNumber[port]!));
      if (metric > least) continue;
      equal = metric < least ? 1 : equal + 1;
      least = metric;
      if (port === preferred) chosen = port;
      else if (equal === 1 || (chosen !== preferred && random() * equal < 1)) chosen = port;
    }
    return chosen;
  }

  private level(port: number): number {
    const level = this.estimators.level(port, this.levels);
    return this.profile.byDemand ? level : Math.min(level, this.levels - 1);
  }

  private measure(port: number, packet: number): void {
    if (this.clos.isFabric[port] === 0) return;
    const { packets } = this.context;
    const { words } = packets;
    const at = packet << ROW;
    const isMeasured = words[at + CongaWord.uplink]! > 0 && packets.isData(packet);
    if (!isMeasured && this.profile.byDemand) return;
    this.estimators.add(port, words[at + Word.bytes]!);
    if (!isMeasured) return;
    const level = this.level(port);
    if (level > words[at + CongaWord.congestion]!) words[at + CongaWord.congestion] = level;
  }
}
