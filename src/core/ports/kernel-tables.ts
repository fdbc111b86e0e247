/**
 * The forwarding tables as a port: next-hop objects, groups of them, and routes that use a group, in a space of ids
 * and under a protocol number that are heddle's own. Implementations: Linux (edge/linux), memory (core/fib).
 */
import type { Address } from '../net/address.js';
import type { Prefix } from '../net/prefix.js';

/** A next-hop object or group id from heddle's own range. */
export type NextHopId = number;

export interface GroupMember {
  readonly id: NextHopId;
  /** 1 to 256. */
  readonly weight: number;
}

/** A resilient group keeps flows in buckets and moves only idle ones; times in seconds, 0 turns the timer off. */
export interface ResilientParameters {
  readonly buckets: number;
  readonly idleTimer: number;
  readonly unbalancedTimer: number;
}

export type KernelOperation =
  | { readonly kind: 'set-next-hop'; readonly id: NextHopId; readonly interfaceIndex: number; readonly gateway: Address }
  | {
      readonly kind: 'set-group';
      readonly id: NextHopId;
      readonly members: readonly GroupMember[];
      readonly resilient?: ResilientParameters;
    }
  /** Deletes a next-hop object or a group; one that is not there is no failure. */
  | { readonly kind: 'delete-next-hop'; readonly id: NextHopId }
  | { readonly kind: 'set-route'; readonly prefix: Prefix; readonly metric: number; readonly nextHop: NextHopId }
  | { readonly kind: 'delete-route'; readonly prefix: Prefix; readonly metric: number };

export interface KernelFailure {
  readonly operation: KernelOperation;
  /** Symbolic errno such as `ENETUNREACH`. */
  readonly code: string;
  /** What the kernel says (extack) or the errno's text. */
  readonly message: string;
}

export interface KernelNextHop {
  readonly id: NextHopId;
  readonly interfaceIndex: number;
  readonly gateway: Address;
}

export interface KernelGroup {
  readonly id: NextHopId;
  readonly members: readonly GroupMember[];
  readonly resilient: boolean;
}

export interface KernelRoute {
  readonly prefix: Prefix;
  readonly metric: number;
  readonly nextHop: NextHopId;
}

/** Everything under our protocol number. */
export interface KernelSnapshot {
  readonly nextHops: readonly KernelNextHop[];
  readonly groups: readonly KernelGroup[];
  readonly routes: readonly KernelRoute[];
}

export type KernelEvent =
  /** A next-hop object or group of ours vanished and we did not ask for it. */
  | { readonly kind: 'next-hop-deleted'; readonly id: NextHopId }
  | { readonly kind: 'route-deleted'; readonly prefix: Prefix; readonly metric: number }
  /** Events were lost (ENOBUFS): only a dump tells the truth. */
  | { readonly kind: 'overrun' };

export interface KernelTables {
  /** Applies operations in order, many per system call; a failed one does not stop the rest. Resolves with the failures. */
  apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]>;
  dump(): Promise<KernelSnapshot>;
  watch(listener: (event: KernelEvent) => void): () => void;
  /** True when the kernel takes resilient groups; decided by a probe at start. */
  readonly resilientGroups: boolean;
  close(): void;
}
