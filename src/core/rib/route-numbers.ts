/**
 * What the small integers in the tables and messages of an export group stand for: a prefix (the RIB's own ids), or one of the
 * paths of a prefix where path identifiers are sent (path-numbers.ts).
 */

export type RouteNumber = number;

export interface RouteNumbers {
  isIpv6(route: RouteNumber): boolean;
  /** Writes 4 or 16 address octets, as many as `target` has; returns the prefix length. */
  copyAddress(route: RouteNumber, target: Uint8Array): number;
  /** Keeps the number for what it stands for until `release`. */
  hold(route: RouteNumber): void;
  release(route: RouteNumber): void;
}
