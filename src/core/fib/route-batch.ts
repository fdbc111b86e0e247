/** Operations on routes that go to the kernel together, with what each changed, so that one that failed can be taken back. */
import type { KernelFailure, KernelOperation, NextHopId } from '../ports/kernel-tables.js';
import type { Batch, Tier } from './forwarding-objects.js';
import type { PrefixNumber } from './prefix-records.js';

export interface RouteChange {
  readonly prefix: PrefixNumber;
  readonly tier: Tier;
  /** Its group in the kernel, 0 for no route. */
  readonly before: NextHopId;
  readonly after: NextHopId;
}

export class RouteBatch implements Batch {
  readonly operations: KernelOperation[] = [];
  private readonly changes: RouteChange[] = [];
  private places: Map<KernelOperation, number> | undefined;

  constructor(private readonly takeBack: (failure: KernelFailure, change: RouteChange) => void) {}

  get size(): number {
    return this.operations.length;
  }

  add(operation: KernelOperation, change: RouteChange): void {
    this.operations.push(operation);
    this.changes.push(change);
  }

  /** `undefined` when there is nothing to do. */
  finish(): Batch | undefined {
    return this.operations.length > 0 ? this : undefined;
  }

  revert(failure: KernelFailure): void {
    this.places ??= new Map(this.operations.map((operation, place) => [operation, place]));
    const change = this.changes[this.places.get(failure.operation) ?? -1];
    if (change) this.takeBack(failure, change);
  }
}
