/**
 * What forwarding wants, as values: for each prefix a primary set of next hops and, behind it, the fallback set that
 * takes over in the kernel without us (design rule: metric 20 -> primary, metric 30 -> fallback).
 */
import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Prefix } from '../net/prefix.js';
import type { NextHopId } from '../ports/kernel-tables.js';

export const PRIMARY_METRIC = 20;
export const FALLBACK_METRIC = 30;

export interface FibNextHop {
  readonly interfaceIndex: number;
  /** Link-local (or on-link) address on that interface; IPv6 also for IPv4 prefixes (RFC 8950), never the other way round. */
  readonly gateway: Address;
  /** Share of the set's traffic, 1 to 256; absent is 1. */
  readonly weight?: number;
}

export interface ForwardingEntry {
  readonly prefix: Prefix;
  readonly primary: readonly FibNextHop[];
  /** Empty when there is nothing behind the primary set. */
  readonly fallback: readonly FibNextHop[];
  /** Forwarding class besides the next hops: who originated the prefix (rightmost AS) and its colour. */
  readonly origin: AsNumber;
  readonly colour?: number;
  /** It has a colour, and no path is the one of that colour: what carries it is what is left. */
  readonly onFallback?: boolean;
}

/** A group of several next hops that is in use: its prefixes are forwarded by it now. */
export interface BalancedGroup {
  readonly id: NextHopId;
  readonly members: readonly BalancedMember[];
}

export interface BalancedMember {
  readonly id: NextHopId;
  readonly interfaceIndex: number;
  /** Share asked for by the routes; 1 for equal ones. */
  readonly due: number;
}
