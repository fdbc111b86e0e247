/** What leaves over links and next-hop groups, and what waits to leave: the counters that load balancing goes by. */
import type { NextHopId } from './kernel-tables.js';

export interface LinkLoad {
  readonly interfaceIndex: number;
  /** Octets sent since the link exists. */
  readonly octets: number;
  /** Octets that wait in its queues now. */
  readonly backlog: number;
  /** Octets a second that its queueing discipline lets through, where that has a limit. */
  readonly limit?: number;
}

export interface GroupLoad {
  readonly id: NextHopId;
  /** Packets that each member has taken since the group exists, or since it was replaced. */
  readonly packets: ReadonlyMap<NextHopId, number>;
}

export interface LoadReading {
  readonly links: readonly LinkLoad[];
  /** Empty where the kernel does not count by member (Linux before 6.9). */
  readonly groups: readonly GroupLoad[];
}

export interface LoadMeters {
  /** Of all links, and of our own groups where they are asked for. Rejects when the kernel does not answer. */
  read(wanted: { readonly groups: boolean }): Promise<LoadReading>;
}
