/** Equal-cost multipath (RFC 2992 for what it does to flows): the hash of a flow, by a seed that each switch has of its own, over the ports there are. */
import { flowHash, flowHashWithQueuePair } from '../network/flow-hash.js';
import { ROW, Word } from '../network/packets.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export type EcmpOptions = { readonly queuePair: boolean; readonly equalSeeds: boolean };

export const ecmp: SchemeDefinition<EcmpOptions> = {
  name: 'ecmp',
  summary: 'the hash of a flow picks one of the equal ports, for ever',
  defaults: { queuePair: false, equalSeeds: false },
  meaning: {
    queuePair: 'hash over the destination queue pair as well (E-ECMP): queue pairs of equal ports spread',
    equalSeeds: 'one seed for all switches instead of one each: polarisation, the classic mistake',
  },
  create: (context, options) => new Ecmp(context, options),
};

export class Ecmp implements LoadBalancer {
  private readonly context: SchemeContext;
  private readonly options: EcmpOptions;

  constructor(context: SchemeContext, options: EcmpOptions = ecmp.defaults) {
    this.context = context;
    this.options = options;
  }

  choose(node: number, packet: number, group: number): number {
    const { forwarding } = this.context;
    return forwarding.members[forwarding.start[group]! + (this.hash(node, packet) % forwarding.count[group]!)]!;
  }

  /** The hash of a packet's flow at a switch, an unsigned 32-bit number. ACKs have the addresses and ports the other way round. */
  hash(node: number, packet: number): number {
    const { packets, queuePairs } = this.context;
    const at = packet << ROW;
    const qp = packets.words[at + Word.queuePair]!;
    const seed = this.options.equalSeeds ? 0 : node;
    const one = queuePairs.sourceWord[qp]!;
    const other = queuePairs.destinationWord[qp]!;
    const isData = packets.isData(packet);
    const from = isData ? one : other;
    const to = isData ? other : one;
    const ports = isData ? queuePairs.portsWord[qp]! : queuePairs.reversePortsWord[qp]!;
    if (!this.options.queuePair) return flowHash(from, to, ports, seed);
    return flowHashWithQueuePair(from, to, ports, queuePairs.queuePairWord[qp]!, seed);
  }
}
