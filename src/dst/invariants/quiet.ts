/** A fabric to which nothing happens sends KEEPALIVEs, router advertisements and BFD, and writes nothing into kernels. */
import type { KernelOperation } from '../../core/ports/kernel-tables.js';
import type { WireTap } from '../../simulator/wire-tap.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';

const ROUTER_ADVERTISEMENT = 134;
const HEADER = 19;
const KEEPALIVE = 4;

export class QuietWatch implements WireTap {
  private readonly noise = new Set<string>();
  private readonly kernels = new Map<string, KernelOperation[]>();

  constructor(bed: Testbed) {
    for (const { name } of bed.running) this.kernels.set(name, bed.node(name).tables.recordOperations());
  }

  packet({ name }: { readonly name: string }, kind: 'nd' | 'bfd', octets: Uint8Array): void {
    if (kind === 'nd' && octets[0] !== ROUTER_ADVERTISEMENT) this.noise.add(`ICMPv6 type ${octets[0]} on ${name}`);
  }

  written({ interfaceName }: { readonly interfaceName: string }, octets: Uint8Array): void {
    for (let at = 0; at < octets.length; at += Math.max(HEADER, (octets[at + 16]! << 8) | octets[at + 17]!))
      if (octets[at + 18] !== KEEPALIVE) this.noise.add(`BGP message of type ${octets[at + 18]} on ${interfaceName}`);
  }

  /** What was heard so far that is not quiet. */
  violations(): Violation[] {
    const heard = [...this.noise].map((detail): Violation => ({ invariant: 'quiet', place: 'fabric', detail }));
    const written = [...this.kernels].flatMap(([place, operations]): Violation[] =>
      operations.length === 0
        ? []
        : [{ invariant: 'quiet', place, detail: `kernel: ${operations.map(({ kind }) => kind).join(', ')}` }],
    );
    return [...heard, ...written];
  }
}
