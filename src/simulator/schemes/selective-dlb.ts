/**
 * Selective DLB (QFX5240, QFX5241): a filter on the operation of RoCEv2 packets (`rdma-opcode`, the opcode of the base transport header) says which of
 * them are balanced dynamically; all others are hashed. Writes without immediate data may be sprayed to a NIC that places what comes out of order;
 * answers keep their way. The hosts here write: a message is a write-only, or write-first, write-middle and write-last.
 */
import { OPCODE } from '../../core/wire/rocev2/opcode.js';
import { ROW } from '../network/packets.js';
import { Dlb, FLOWSET_DEFAULTS, FLOWSET_MEANING, type FlowsetOptions, refusesFlowsets, refusesMode } from './dlb.js';
import { Ecmp } from './ecmp.js';
import { refusesWord } from './parts/option-word.js';
import { rdmaOpcode } from './parts/rdma-opcode.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

const OPCODES: Readonly<Record<string, number>> = {
  'write-first': OPCODE.writeFirst,
  'write-middle': OPCODE.writeMiddle,
  'write-last': OPCODE.writeLast,
  'write-only': OPCODE.writeOnly,
  acknowledge: OPCODE.acknowledge,
  cnp: OPCODE.congestionNotification,
};

export type SelectiveDlbOptions = FlowsetOptions & { readonly mode: string; readonly opcodes: string };

export const selectiveDlb: SchemeDefinition<SelectiveDlbOptions> = {
  name: 'selective-dlb',
  summary: 'DLB for packets of some RDMA operations, hashing for all others (Junos selective DLB)',
  defaults: {
    ...FLOWSET_DEFAULTS,
    mode: 'per-packet',
    opcodes: 'write-first,write-middle,write-last,write-only',
  },
  meaning: {
    ...FLOWSET_MEANING,
    mode: 'what is balanced of them: flowlet, per-packet, assigned-flow',
    opcodes: `operations that are balanced, with commas between: ${Object.keys(OPCODES).join(', ')}; empty: none`,
  },
  refuses: (_, options) => refusesOpcodes(options.opcodes) ?? refusesMode(options.mode) ?? refusesFlowsets(options),
  create: (context, options) => new SelectiveDlb(context, options),
};

function wordsOf(opcodes: string): string[] {
  return opcodes === '' ? [] : opcodes.split(',').map((word) => word.trim());
}

function refusesOpcodes(opcodes: string): string | undefined {
  for (const word of wordsOf(opcodes)) {
    const refused = refusesWord('opcodes', word, Object.keys(OPCODES));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

export class SelectiveDlb implements LoadBalancer {
  private readonly context: SchemeContext;
  private readonly ecmp: Ecmp;
  private readonly dlb: Dlb;
  /** By opcode: 1, it is balanced. */
  private readonly balanced = new Uint8Array(256);

  constructor(context: SchemeContext, options: SelectiveDlbOptions) {
    this.context = context;
    this.ecmp = new Ecmp(context);
    this.dlb = new Dlb(context, { ...options, answers: true });
    for (const word of wordsOf(options.opcodes)) this.balanced[OPCODES[word]!] = 1;
  }

  choose(node: number, packet: number, group: number): number {
    const opcode = rdmaOpcode(this.context.packets.words[packet << ROW]!);
    const chosen = this.balanced[opcode] === 1 ? this.dlb : this.ecmp;
    return chosen.choose(node, packet, group);
  }

  departing(port: number, packet: number): void {
    this.dlb.departing(port, packet);
  }

  counters(): Readonly<Record<string, number>> {
    return this.dlb.counters();
  }
}
