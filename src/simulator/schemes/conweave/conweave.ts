/**
 * ConWeave (Song et al., SIGCOMM 2023): leaves move a flow to another path while it sends, and the leaf at the other end puts its packets into order
 * again, so that the NIC sees none out of order. The halves are `source.ts` and `destination.ts`; here is which packet is whose. Control packets and
 * ACKs are hashed.
 */
import { KIND_MASK, PacketKind, ROW, Word } from '../../network/packets.js';
import { type Topology, tiersOf } from '../../network/topology.js';
import { Ecmp } from '../ecmp.js';
import { refusesCount, refusesRange } from '../parts/option-range.js';
import { Paths } from '../parts/paths.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from '../scheme.js';
import { ConWeaveDestination } from './destination.js';
import { DataWord } from './header.js';
import { type ConWeaveOptions, parametersOf } from './parameters.js';
import { ConWeaveSource } from './source.js';

const NONE = -1;
/** Microseconds. */
const LONGEST = 1e6;

export const conweave: SchemeDefinition<ConWeaveOptions> = {
  name: 'conweave',
  summary: 'flows change paths as they send, the last leaf puts them in order (ConWeave, SIGCOMM 2023)',
  defaults: { replyExtra: 4, pathBusy: 16, inactive: 0, resumeDefault: 0, resumeExtra: 64, queues: 0 },
  meaning: {
    replyExtra:
      'how much longer than propagation there and back an answer may take before the flow moves, microseconds',
    pathBusy: 'how long a path is not taken after a marked packet came by it, microseconds',
    inactive: 'the silence after which a flow starts anew, microseconds; 0: 300 with two tiers, 1000 with three',
    resumeDefault: 'how long packets are kept when nothing has come by the old path, microseconds; 0: 200 or 600',
    // The paper's value of lossless fabrics. Its 16 us of others gives up a few TAILs in a million packets that are on their way, behind longer queues.
    resumeExtra: 'how much later than reckoned the last packet of the old path may come, microseconds',
    queues: 'reorder queues of a port to a host; 0: as many as there are flows',
  },
  refuses,
  create: (context, options) => new ConWeave(context, options),
};

function refuses(_: Topology, options: ConWeaveOptions): string | undefined {
  const { queues, ...times } = options;
  const wrong = Object.entries(times).map(([name, value]) => refusesRange(name, value, 0, LONGEST));
  return wrong.find((reason) => reason !== undefined) ?? refusesCount('queues', queues, 0, LONGEST);
}

export class ConWeave implements LoadBalancer {
  readonly source: ConWeaveSource;
  readonly destination: ConWeaveDestination;
  private readonly paths: Paths;
  private readonly ecmp: Ecmp;
  private readonly context: SchemeContext;

  constructor(context: SchemeContext, options: ConWeaveOptions = conweave.defaults) {
    const parameters = parametersOf(options, tiersOf(context.topology));
    this.context = context;
    this.paths = new Paths(context.forwarding, context.ports);
    this.source = new ConWeaveSource(context, this.paths, parameters);
    this.destination = new ConWeaveDestination(context, parameters);
    this.ecmp = new Ecmp(context);
  }

  choose(node: number, packet: number, group: number): number {
    const { packets, forwarding, queuePairs } = this.context;
    if (!packets.isData(packet)) return this.ecmp.choose(node, packet, group);
    const at = packet << ROW;
    const { words } = packets;
    if (words[at + DataWord.flags] === 0) {
      if (forwarding.leafOf[queuePairs.source[words[at + Word.queuePair]!]!] !== node)
        return this.ecmp.choose(node, packet, group);
      this.source.label(packet, node, group);
    }
    // Tables may have changed while it was on its way.
    const port = this.paths.portAt(words[at + DataWord.path]!, node, group);
    return port === NONE ? this.ecmp.choose(node, packet, group) : port;
  }

  received(node: number, packet: number): boolean {
    const { packets, forwarding } = this.context;
    const at = packet << ROW;
    const { words } = packets;
    const kind = words[at]! & KIND_MASK;
    const isOurs = kind === PacketKind.scheme || (kind === PacketKind.data && words[at + DataWord.flags] !== 0);
    if (!isOurs || forwarding.leafOf[forwarding.hostOf[words[at + Word.destination]!]!] !== node) return true;
    if (kind === PacketKind.data) return this.destination.arrived(node, packet);
    this.source.told(packet);
    this.context.discard(packet);
    return false;
  }

  timer(qp: number, turn: number): void {
    this.destination.timer(qp, turn);
  }

  queuePairOpened(qp: number): void {
    this.source.opened(qp);
    this.destination.opened(qp);
  }

  counters(): Readonly<Record<string, number>> {
    const { source, destination } = this;
    return {
      moves: source.moves,
      requests: source.requests,
      repliesInTime: source.repliesInTime,
      notices: destination.notices,
      clears: destination.clears,
      kept: destination.kept,
      releasedByTail: destination.releasedByTail,
      releasedByClock: destination.releasedByClock,
      withoutQueue: destination.withoutQueue,
      reorderOctetsAtMost: destination.queues.mostOctets,
      reorderQueuesAtMost: destination.queues.mostInUse,
    };
  }
}
