/**
 * Dynamic load balancing as on Junos switches (QFX5240; SAI calls it adaptive routing and switching): each of a group's ports has a quality, by its
 * load and its queue, and traffic goes to the best. Each packet does in mode per-packet; a flowset's entry is looked at again after a gap in mode
 * flowlet, and stays where it is while that is still among the best; in mode assigned-flow it is never looked at again.
 *
 * Answers and other control packets are hashed unless `answers` says otherwise: the public ns-3 models do so, and switches with a filter can.
 */
import type { Band } from '../../core/dlb/link-quality.js';
import { Ecmp } from './ecmp.js';
import { BestMembers, type Ties } from './parts/best-members.js';
import { type FlowletTable, FlowletTables, refusesTableSize } from './parts/flowlet-table.js';
import { refusesRange } from './parts/option-range.js';
import { refusesWord } from './parts/option-word.js';
import {
  PortQuality,
  QUALITY_DEFAULTS,
  QUALITY_MEANING,
  type QualityOptions,
  refusesQuality,
} from './parts/port-quality.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

const PS_PER_MICROSECOND = 1e6;

const MODES = ['flowlet', 'per-packet', 'assigned-flow'] as const;
const TIES: readonly Ties[] = ['random', 'round-robin'];

export type FlowsetOptions = QualityOptions & {
  readonly inactivity: number;
  readonly flowsets: number;
  readonly ties: string;
};

export type DlbOptions = FlowsetOptions & { readonly mode: string; readonly answers: boolean };

/** Inactivity and table are those of Juniper's validated design. */
export const FLOWSET_DEFAULTS: FlowsetOptions = {
  ...QUALITY_DEFAULTS,
  inactivity: 128,
  flowsets: 2048,
  ties: 'random',
};

export const FLOWSET_MEANING: Readonly<Record<keyof FlowsetOptions, string>> = {
  ...QUALITY_MEANING,
  inactivity: 'a flowset that was silent for longer is looked at again, microseconds',
  flowsets: 'entries of the flowset table of a group of ports, a power of two',
  ties: 'among ports of the best quality one at random, or one after the other: random, round-robin',
};

export const dlb: SchemeDefinition<DlbOptions> = {
  name: 'dlb',
  summary: 'the port of the best quality, for each packet or each flowlet (Junos DLB, SAI ARS)',
  defaults: { ...FLOWSET_DEFAULTS, mode: 'flowlet', answers: false },
  meaning: {
    ...FLOWSET_MEANING,
    mode: `what is balanced: ${MODES.join(', ')}`,
    answers: 'balance ACKs, NAKs and CNPs as well instead of hashing them',
  },
  refuses: (_, options) => refusesMode(options.mode) ?? refusesFlowsets(options),
  create: (context, options) => new Dlb(context, options),
};

export function refusesMode(mode: string): string | undefined {
  return refusesWord('mode', mode, MODES);
}

export function refusesFlowsets(options: FlowsetOptions): string | undefined {
  return (
    refusesRange('inactivity', options.inactivity, 0, 1e6) ??
    refusesTableSize('flowsets', options.flowsets) ??
    refusesWord('ties', options.ties, TIES) ??
    refusesQuality(options)
  );
}

/** Whether a flowlet that goes on is to leave its port all the same. */
export interface Reassignment {
  isDue(members: BestMembers, port: number, group: number): boolean;
}

/** What a scheme that is DLB with something more adds to it. */
export interface DlbVariation extends Partial<Reassignment> {
  /** What a port's quality counts as for the packet at hand; higher is better. */
  bandOf?(port: number, band: Band): number;
}

export class Dlb implements LoadBalancer {
  /** Entries that were looked at, because they were new or had been silent, and those of them that changed their port. */
  private flowlets = 0;
  private moves = 0;
  private reassigned = 0;
  private readonly context: SchemeContext;
  private readonly isPerPacket: boolean;
  private readonly balancesAnswers: boolean;
  private readonly ecmp: Ecmp;
  readonly quality: PortQuality;
  private readonly members: BestMembers;
  /** By group. */
  private readonly tables: FlowletTables;
  private readonly variation: DlbVariation;

  constructor(context: SchemeContext, options: DlbOptions, variation: DlbVariation = {}) {
    this.context = context;
    this.isPerPacket = options.mode === 'per-packet';
    this.balancesAnswers = options.answers;
    this.ecmp = new Ecmp(context);
    this.quality = new PortQuality(context, options);
    const band = (port: number) => this.quality.band(port);
    const counted = variation.bandOf ? (port: number) => variation.bandOf!(port, band(port)) : band;
    this.members = new BestMembers(context, counted, options.ties as Ties);
    const isForEver = options.mode === 'assigned-flow';
    const inactivity = isForEver ? Number.POSITIVE_INFINITY : options.inactivity * PS_PER_MICROSECOND;
    this.tables = new FlowletTables(options.flowsets, inactivity);
    this.variation = variation;
  }

  choose(node: number, packet: number, group: number): number {
    const { packets, events, ports } = this.context;
    if (!this.balancesAnswers && !packets.isData(packet)) return this.ecmp.choose(node, packet, group);
    if (this.isPerPacket) return this.members.pick(group);
    const table = this.tables.of(group);
    const entry = table.entryOf(this.ecmp.hash(node, packet));
    const port = table.arrive(entry, events.now);
    if (port < 0 || ports.up[port] === 0) return this.reconsider(table, entry, group);
    if (!this.variation.isDue?.(this.members, port, group)) return port;
    this.reassigned++;
    return this.assign(table, entry, group);
  }

  departing(port: number, packet: number): void {
    this.quality.departing(port, packet);
  }

  counters(): Readonly<Record<string, number>> {
    const { flowlets, moves, reassigned } = this;
    if (this.isPerPacket) return {};
    return this.variation.isDue ? { flowlets, moves, reassigned } : { flowlets, moves };
  }

  private reconsider(table: FlowletTable, entry: number, group: number): number {
    const current = table.portOf(entry);
    this.flowlets++;
    if (current < 0) return this.assign(table, entry, group);
    const isUp = this.context.ports.up[current] === 1;
    if (isUp && this.members.band(current) === this.members.bestBand(group)) return current;
    this.moves++;
    return this.assign(table, entry, group);
  }

  private assign(table: FlowletTable, entry: number, group: number): number {
    const port = this.members.pick(group);
    table.assign(entry, port);
    return port;
  }
}
