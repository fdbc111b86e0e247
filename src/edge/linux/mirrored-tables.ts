/**
 * The kernel's forwarding tables with the eBPF plane above them: everything is done in the kernel first, and what was done there is
 * told to the plane. So the plane can go at any time, and the kernel forwards on.
 */
import type { PlaneMirror } from '../../core/ebpf-plane/plane-mirror.js';
import type {
  DumpScope,
  KernelEvent,
  KernelFailure,
  KernelOperation,
  KernelSnapshot,
  KernelTables,
} from '../../core/ports/kernel-tables.js';

export class MirroredTables implements KernelTables {
  readonly resilientGroups: boolean;
  readonly #unwatch: () => void;

  constructor(
    private readonly kernel: KernelTables,
    /** Runs the work on the mirror, unless the plane is gone. */
    private readonly tell: (work: (mirror: PlaneMirror) => void) => void,
  ) {
    this.resilientGroups = kernel.resilientGroups;
    this.#unwatch = kernel.watch((event) => tell((mirror) => mirror.kernelEvent(event)));
  }

  async apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const failures = await this.kernel.apply(operations);
    const failed = new Set(failures.map(({ operation }) => operation));
    this.tell((mirror) => {
      for (const operation of operations) if (!failed.has(operation)) mirror.applied(operation);
    });
    return failures;
  }

  async dump(scope: DumpScope): Promise<KernelSnapshot> {
    const snapshot = await this.kernel.dump(scope);
    this.tell((mirror) => mirror.resync(snapshot, scope !== 'next-hops'));
    return snapshot;
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    return this.kernel.watch(listener);
  }

  close(): void {
    this.#unwatch();
    this.kernel.close();
  }
}
