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

/**
 * `replace` false creates, and fails with EEXIST where something is there already, ours or not; `replace` true changes
 * what is there in place, and fails with ENOENT where nothing is. So a foreign route is never overwritten by accident.
 */
export type KernelOperation =
  /** Creates a next-hop object, or points one somewhere else, with all groups that have it and their routes. */
  | {
      readonly kind: 'set-next-hop';
      readonly id: NextHopId;
      readonly interfaceIndex: number;
      readonly gateway: Address;
      readonly replace: boolean;
    }
  /** A group keeps its type (resilient or not) and its number of buckets for life: replacing it with others is EINVAL. */
  | {
      readonly kind: 'set-group';
      readonly id: NextHopId;
      readonly members: readonly GroupMember[];
      readonly resilient?: ResilientParameters;
      readonly replace: boolean;
    }
  /** Deletes a next-hop object, or a group together with the routes that use it; one that is not there is no failure. */
  | { readonly kind: 'delete-next-hop'; readonly id: NextHopId }
  | {
      readonly kind: 'set-route';
      readonly prefix: Prefix;
      readonly metric: number;
      readonly nextHop: NextHopId;
      readonly replace: boolean;
    }
  /** Deletes a route of ours; one that is not there is no failure. */
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
  /** Absent for a plain group. */
  readonly resilient?: ResilientParameters;
}

export interface KernelRoute {
  readonly prefix: Prefix;
  readonly metric: number;
  readonly nextHop: NextHopId;
}

/** What another program has where ours is or would be. It is never touched. */
export type ForeignObject = ForeignNextHop | RouteInTheWay;

/** An object with an id of our range and without our protocol number. */
export interface ForeignNextHop {
  readonly kind: 'next-hop' | 'group';
  readonly id: NextHopId;
  /** `nh_protocol`. */
  readonly protocol: number;
}

/** A route that is under our protocol number and not ours, or that has one of our metrics. */
export interface RouteInTheWay {
  readonly kind: 'route';
  readonly prefix: Prefix;
  readonly metric: number;
  /** `rtm_protocol`. */
  readonly protocol: number;
  /** Indexes; none when it drops. */
  readonly interfaces: readonly number[];
}

/** What is under our protocol number, and what is foreign and in its way. */
export interface KernelSnapshot {
  readonly nextHops: readonly KernelNextHop[];
  readonly groups: readonly KernelGroup[];
  readonly routes: readonly KernelRoute[];
  readonly foreign: readonly ForeignObject[];
}

/**
 * `next-hops` leaves the routes out; `everything` reads those under our protocol number; `with-foreign` reads the whole main
 * table, for routes of others with one of our metrics too.
 */
export type DumpScope = 'next-hops' | 'everything' | 'with-foreign';

/**
 * What other programs did to our objects and in their place. What the kernel deletes itself is not told: the next hops of a link that went
 * down, groups left empty, and the routes of a group that is gone.
 */
export type KernelEvent =
  /** Another program deleted a next-hop object or group of ours. */
  | { readonly kind: 'next-hop-deleted'; readonly id: NextHopId }
  /** `nextHop` is the group that the deleted route used. */
  | { readonly kind: 'route-deleted'; readonly prefix: Prefix; readonly metric: number; readonly nextHop: NextHopId }
  /**
   * Another program put a route where one stood, `nextHop` 0 when it is none of ours; or it changed the object that a route
   * of ours uses, which the kernel tells as the same route once more.
   */
  | { readonly kind: 'route-replaced'; readonly prefix: Prefix; readonly metric: number; readonly nextHop: NextHopId }
  /** A route of another program with one of our metrics went away: there is room for ours. */
  | { readonly kind: 'foreign-route-gone'; readonly prefix: Prefix; readonly metric: number }
  /** Events were lost (ENOBUFS): only a dump tells the truth. */
  | { readonly kind: 'overrun' };

export interface KernelTables {
  /** Applies operations in order, many per system call; a failed one does not stop the rest. Resolves with the failures. */
  apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]>;
  /** Linux reads a table in pieces: one that changes meanwhile may have a route twice. */
  dump(scope: DumpScope): Promise<KernelSnapshot>;
  watch(listener: (event: KernelEvent) => void): () => void;
  /** True when the kernel takes resilient groups; decided by a probe at start. */
  readonly resilientGroups: boolean;
  close(): void;
}
