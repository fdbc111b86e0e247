/** What events of a fabric simulation are, and what their two numbers mean. */

export const EventKind = {
  /** A packet has come in: packet, port. */
  arrival: 0,
  /** A port has sent what it was sending: port. */
  portFree: 1,
  /** A queue pair of a host may send again: host. */
  hostReady: 2,
  /** A pause may have ended: port, class. */
  pauseEnd: 3,
  /** A timer of a queue pair: queue pair, which. */
  queuePair: 4,
  /** A timer of the load-balancing scheme: its own two numbers. */
  scheme: 5,
  /** A timer of the workload: its own two numbers. */
  workload: 6,
  /** Something happens to the fabric: its number. */
  change: 7,
  /** Time to look at counters. */
  sample: 8,
  /** A pause may have to be told again: port, class. */
  pauseRefresh: 9,
  /** The PFC watchdog looks at a queue: port, class. */
  watchdog: 10,
} as const;
