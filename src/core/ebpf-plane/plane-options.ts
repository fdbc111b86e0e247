/** What an operator says of the eBPF plane. */
import type { ChoiceOptions } from './choose.js';
import type { PlaneSizes } from './tables.js';

/** How frames reach the program: before the kernel makes socket buffers of them, after, or at traffic control (tcx, or as kernels without it have it). */
export type Attachment = 'native' | 'generic' | 'tc' | 'clsact';

export interface EbpfPlaneOptions {
  readonly sizes: PlaneSizes;
  readonly choice: ChoiceOptions;
  /** RDMA operations that are balanced; absent: all packets are. */
  readonly opcodes?: readonly number[];
  /** `auto`: native where the driver can, and traffic control elsewhere. */
  readonly attach: 'auto' | Attachment;
  /** Per cent that the load has in the quality of a port; the queue has the rest. */
  readonly loadWeight: number;
}
