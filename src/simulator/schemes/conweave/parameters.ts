/** ConWeave's times: as users give them, microseconds, and as the scheme uses them. Those of 0 depend on the tiers of the fabric, as in its paper. */
export type ConWeaveOptions = {
  readonly replyExtra: number;
  readonly pathBusy: number;
  readonly inactive: number;
  readonly resumeDefault: number;
  readonly resumeExtra: number;
  readonly queues: number;
};

/** Picoseconds. */
export interface ConWeaveParameters {
  readonly replyExtra: number;
  readonly pathBusy: number;
  readonly inactive: number;
  readonly resumeDefault: number;
  readonly resumeExtra: number;
  /** Reorder queues of a port to a host. */
  readonly queues: number;
}

const PS_PER_MICROSECOND = 1e6;
/** Microseconds: of leaf-spine fabrics, and of fabrics of three tiers under PFC. */
const TWO_TIERS = { inactive: 300, resumeDefault: 200 };
const THREE_TIERS = { inactive: 1000, resumeDefault: 600 };

export function parametersOf(options: ConWeaveOptions, tiers: number): ConWeaveParameters {
  const byTiers = tiers > 2 ? THREE_TIERS : TWO_TIERS;
  return {
    replyExtra: options.replyExtra * PS_PER_MICROSECOND,
    pathBusy: options.pathBusy * PS_PER_MICROSECOND,
    inactive: (options.inactive || byTiers.inactive) * PS_PER_MICROSECOND,
    resumeDefault: (options.resumeDefault || byTiers.resumeDefault) * PS_PER_MICROSECOND,
    resumeExtra: options.resumeExtra * PS_PER_MICROSECOND,
    queues: options.queues || Number.POSITIVE_INFINITY,
  };
}
