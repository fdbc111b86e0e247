/**
 * LetFlow (Vanini et al., NSDI 2017): each flowlet takes a port drawn at random, whatever the load. Flowlets on slow paths get longer gaps, so flows
 * end up moving away from them; the control that shows what gaps alone can do. Control packets are hashed, as in the public ns-3 models.
 */
import { Ecmp } from './ecmp.js';
import { type FlowletTable, FlowletTables, refusesTableSize } from './parts/flowlet-table.js';
import { refusesRange } from './parts/option-range.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

const PS_PER_MICROSECOND = 1e6;

export type LetFlowOptions = { readonly gap: number; readonly flowlets: number };

export const letflow: SchemeDefinition<LetFlowOptions> = {
  name: 'letflow',
  summary: 'each flowlet takes an equal port at random (LetFlow, NSDI 2017)',
  defaults: { gap: 100, flowlets: 65_536 },
  meaning: {
    gap: 'the longest time between two packets of a flowlet, microseconds',
    flowlets: 'entries of the flowlet table of a group of ports, a power of two',
  },
  refuses: (_, { gap, flowlets }) => refusesRange('gap', gap, 0, 1e6) ?? refusesTableSize('flowlets', flowlets),
  create: (context, options) => new LetFlow(context, options),
};

export class LetFlow implements LoadBalancer {
  private flowlets = 0;
  private moves = 0;
  private readonly context: SchemeContext;
  private readonly ecmp: Ecmp;
  /** By group. */
  private readonly tables: FlowletTables;

  constructor(context: SchemeContext, options: LetFlowOptions) {
    this.context = context;
    this.ecmp = new Ecmp(context);
    this.tables = new FlowletTables(options.flowlets, options.gap * PS_PER_MICROSECOND);
  }

  choose(node: number, packet: number, group: number): number {
    const { packets, events, ports } = this.context;
    if (!packets.isData(packet)) return this.ecmp.choose(node, packet, group);
    const table = this.tables.of(group);
    const entry = table.entryOf(this.ecmp.hash(node, packet));
    const port = table.arrive(entry, events.now);
    return port >= 0 && ports.up[port] === 1 ? port : this.begin(table, entry, group);
  }

  counters(): Readonly<Record<string, number>> {
    return { flowlets: this.flowlets, moves: this.moves };
  }

  private begin(table: FlowletTable, entry: number, group: number): number {
    const { forwarding, random } = this.context;
    const place = Math.floor(random() * forwarding.count[group]!);
    const port = forwarding.members[forwarding.start[group]! + place]!;
    const before = table.portOf(entry);
    this.flowlets++;
    if (before >= 0 && before !== port) this.moves++;
    table.assign(entry, port);
    return port;
  }
}
