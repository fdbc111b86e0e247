/** A whole run as data: the fabric, the seed of everything random in it, and what happens to it, episode by episode. */
import type { Fault } from './fault.js';

export interface FabricSpec {
  readonly spines: number;
  readonly leaves: number;
  readonly mode: 'policy' | 'session';
  readonly bfd: boolean;
  /** Every router restarts gracefully and helps others to. */
  readonly graceful: boolean;
  /** Next hops are weighed by their loads. */
  readonly balancing: boolean;
  /** One-way delay of all cables, milliseconds. */
  readonly delay: number;
  /** Milliseconds within which the links come up at first; 0: all in one instant. */
  readonly raise: number;
  /** Between each leaf and each spine; 1 when absent. */
  readonly links?: number;
  /** Behind each leaf; 1 when absent. */
  readonly hosts?: number;
  /** Hosts have IPv4 prefixes too, whose next hops are IPv6 (RFC 8950). */
  readonly ipv4?: boolean;
  /** Of so many spines and leaves each, under superspines; three stages without when absent. */
  readonly pods?: number;
}

export interface Scenario {
  /** What it shows; of regressions. */
  readonly name?: string;
  readonly seed: number;
  readonly fabric: FabricSpec;
  /** Faults of an episode overlap; after each the fabric is judged. */
  readonly episodes: readonly (readonly Fault[])[];
}

export function faultCount({ episodes }: Scenario): number {
  return episodes.reduce((sum, faults) => sum + faults.length, 0);
}
