/**
 * The kernel of a rehearsal: every operation is made into the octets of a netlink datagram, which goes nowhere and is answered at once.
 * Nothing is remembered: tables in memory would cost three times as much as all that is rehearsed.
 */
import type { KernelFailure, KernelOperation, KernelSnapshot, KernelTables } from '../../core/ports/kernel-tables.js';
import { requestOf } from '../../edge/linux/fib-messages.js';
import { RequestQueue } from '../../edge/linux/rtnetlink/request-queue.js';

const NOTHING: KernelSnapshot = { nextHops: [], groups: [], routes: [], foreign: [] };

export class StageTables implements KernelTables {
  readonly resilientGroups = true;
  private sequence = 0;
  /** Sequence numbers that ask for an acknowledgement. */
  private readonly unanswered: number[] = [];
  private readonly queue = new RequestQueue(
    () => {},
    (count) => this.take(count),
  );

  async apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const written = this.queue.add(operations.map(requestOf));
    for (const sequence of this.unanswered) this.queue.answered(sequence, undefined);
    this.unanswered.length = 0;
    await written;
    return [];
  }

  async dump(): Promise<KernelSnapshot> {
    return NOTHING;
  }

  watch(): () => void {
    return () => {};
  }

  close(): void {}

  private take(count: number): number {
    const first = this.sequence + 1;
    this.sequence += count;
    this.unanswered.push(this.sequence);
    return first;
  }
}
