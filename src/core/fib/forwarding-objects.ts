/**
 * The FIB's picture of the kernel, as mutable records. `id` 0 means: not in the kernel. A route is in the kernel when
 * the group it was last written with still lives, so the death of a group takes all its routes along without a walk.
 */
import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Prefix } from '../net/prefix.js';
import type {
  GroupMember,
  KernelFailure,
  KernelOperation,
  NextHopId,
  ResilientParameters,
} from '../ports/kernel-tables.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from './types.js';

/** Index of the primary (0) and fallback (1) route of a prefix. */
export type Tier = 0 | 1;

export const TIERS: readonly Tier[] = [0, 1];
export const TIER_METRICS: readonly [number, number] = [PRIMARY_METRIC, FALLBACK_METRIC];

/** One next-hop object, shared by both families and all groups. */
export interface NextHop {
  readonly interfaceIndex: number;
  readonly gateway: Address;
  /** Orders members within a set. */
  readonly serial: number;
  id: NextHopId;
  /** Where the object in the kernel leads in its place: the neighbour does not forward, though its link is up. */
  standIn: NextHop | undefined;
  /** Why the kernel refused it. */
  error: string | undefined;
  /** Those that groups want and it is a member of. */
  readonly sets: Set<MemberSet>;
}

/** What the kernel has for a group: the parameters of a resilient one, or none for a plain one. */
export type GroupKind = ResilientParameters | undefined;

/** Shares of the members of a set, in their order; absent for equal ones. */
export type Weights = readonly number[] | undefined;

export interface Group {
  /** Of the routes that use it. */
  tier: Tier;
  id: NextHopId;
  /** The kind that it has in the kernel, for life. */
  kind: GroupKind;
  /** Wanted; members without an id are left out of the kernel's group. */
  set: MemberSet;
  /** What load balancing made of the weights, one per member, until a member comes or goes or the weights change. */
  shares: Weights;
  /** The members that the kernel's group has. */
  installed: readonly GroupMember[];
  /** Routes in the kernel that use it. */
  routes: number;
  /** Absent when nothing wants it any more. */
  owner: ForwardingClass | undefined;
  /** Found at start and not claimed yet: stays until the sweep. */
  adopted: boolean;
  error: string | undefined;
}

/** One value for all that are equal, but for those that nothing wants. */
export interface MemberSet {
  /** Its own. */
  readonly number: number;
  /** By serial. */
  readonly members: readonly NextHop[];
  /** One per member; absent when all are equal. */
  readonly weights: Weights;
  /** Those that want it. */
  readonly groups: Set<Group>;
}

export const NO_MEMBERS: MemberSet = { number: -1, members: [], weights: undefined, groups: new Set() };

/** The primary and the fallback set. */
export type Tiers = readonly [MemberSet, MemberSet];

export interface ClassSpec {
  /** Its place among those asked for since the last flush, from 1. */
  readonly place: number;
  readonly origin: AsNumber;
  readonly colour: number | undefined;
  /** No path is the one of the colour. */
  readonly onFallback: boolean;
  readonly tiers: Tiers;
}

/** Prefixes that share their origin, colour and both sets, and so their groups. They are listed in PrefixRecords. */
export interface ForwardingClass {
  spec: ClassSpec;
  /** The fallback group is absent when there is no fallback set. */
  readonly groups: [Group, Group | undefined];
  /** Its own in PrefixRecords. */
  number: number;
  /** First member plus one; 0 for none. */
  first: number;
  /** How many members it has. */
  size: number;
}

/** Operations that go to the kernel together. The records already say that they succeeded; `revert` takes a failed one back. */
export interface Batch {
  readonly operations: readonly KernelOperation[];
  revert(failure: KernelFailure): void;
}

type Revert = (failure: KernelFailure) => void;

/** Collects operations together with how to take each back. */
export class BatchBuilder {
  private readonly operations: KernelOperation[] = [];
  private readonly reverts: Revert[] = [];

  get size(): number {
    return this.operations.length;
  }

  add(operation: KernelOperation, revert: Revert): void {
    this.operations.push(operation);
    this.reverts.push(revert);
  }

  /** `undefined` when there is nothing to do. */
  finish(): Batch | undefined {
    const { operations, reverts } = this;
    if (operations.length === 0) return undefined;
    let places: Map<KernelOperation, number> | undefined;
    const revert = (failure: KernelFailure) => {
      places ??= new Map(operations.map((operation, place) => [operation, place]));
      reverts[places.get(failure.operation) ?? -1]?.(failure);
    };
    return { operations, revert };
  }
}

const OCCUPIED = 'a route of another program has this prefix and metric; ours is written as soon as that is gone';

export function failureText({ operation, code, message }: KernelFailure): string {
  const occupied = operation.kind === 'set-route' && code === 'EEXIST';
  return `${occupied ? OCCUPIED : message} (${code})`;
}

/** A string that is equal for equal addresses: two octets a character. */
export function octetsKey(octets: Uint8Array): string {
  return octets.length === 16
    ? String.fromCharCode(
        (octets[0]! << 8) | octets[1]!,
        (octets[2]! << 8) | octets[3]!,
        (octets[4]! << 8) | octets[5]!,
        (octets[6]! << 8) | octets[7]!,
        (octets[8]! << 8) | octets[9]!,
        (octets[10]! << 8) | octets[11]!,
        (octets[12]! << 8) | octets[13]!,
        (octets[14]! << 8) | octets[15]!,
      )
    : String.fromCharCode((octets[0]! << 8) | octets[1]!, (octets[2]! << 8) | octets[3]!);
}

export function prefixKey(prefix: Prefix): string {
  return octetsKey(prefix.address) + String.fromCharCode(prefix.length);
}
