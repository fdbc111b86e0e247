/**
 * Bandwidths as NCCL's tests define them (nccl-tests, doc/PERFORMANCE.md): algorithm bandwidth is the size over the time; bus bandwidth
 * is what each link has really carried for it, so that it compares with the speed of the links whatever the number of GPUs.
 */

export const TRAFFIC_PATTERNS = ['send', 'all-reduce', 'all-to-all'] as const;
export type TrafficPattern = (typeof TRAFFIC_PATTERNS)[number];

export interface Bandwidth {
  /** Mbit/s. */
  readonly algorithm: number;
  readonly bus: number;
}

/** `octets` of every GPU, in `milliseconds`. */
export function bandwidthOf(
  pattern: TrafficPattern,
  gpus: number,
  { octets, milliseconds }: { readonly octets: number; readonly milliseconds: number },
): Bandwidth {
  const algorithm = megabits(octets, milliseconds);
  return { algorithm, bus: algorithm * busFactor(pattern, gpus) };
}

function busFactor(pattern: TrafficPattern, gpus: number): number {
  if (pattern === 'all-reduce') return (2 * (gpus - 1)) / gpus;
  return pattern === 'all-to-all' ? (gpus - 1) / gpus : 1;
}

/** Mbit/s; 0 when no time has passed. */
export function megabits(octets: number, milliseconds: number): number {
  return milliseconds > 0 ? (octets * 8) / milliseconds / 1000 : 0;
}
