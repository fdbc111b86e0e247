/**
 * How good a link is for more traffic, in the eight bands of a DLB switch: 7 is idle, 0 is overloaded. Two things count, as in
 * Junos `egress-quantization` and in SAI's adaptive routing: what left of late (past load) and what waits (future load), both
 * as moving averages.
 *
 *   load  = EWMA(octets sent a second) / capacity            queue = EWMA(octets waiting) / reference
 *   score = loadWeight * load + (1 - loadWeight) * queue     in per cent
 *   band  = 7 below `minimum`, 0 above `maximum`, six equal steps between
 *
 * The vendors publish neither the averages' lengths nor the steps; those here are ours.
 */

export interface QualitySettings {
  /** Per cent of score below which a link is in the best band, and above which it is in the worst. */
  readonly minimum: number;
  readonly maximum: number;
  /** Share of the load in the score, per cent; the rest is the queue's. */
  readonly loadWeight: number;
  /** Seconds after which a step of load or queue has come through to 63 per cent; 0 believes each sample at once. */
  readonly smoothing: number;
  /** Seconds at line rate that a queue of 100 per cent takes to leave. */
  readonly queueReference: number;
}

/** Counters of a link at one moment. */
export interface LinkSample {
  /** Seconds of a clock that never goes back. */
  readonly at: number;
  /** Octets sent since whenever. */
  readonly octets: number;
  /** Octets that wait to be sent now. */
  readonly backlog: number;
}

export type Band = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

export const BEST_BAND: Band = 7;
export const WORST_BAND: Band = 0;

export class LinkQuality {
  /** Octets a second, averaged. */
  rate = 0;
  /** Octets waiting, averaged. */
  backlog = 0;
  #last: LinkSample | undefined;

  constructor(
    private readonly settings: QualitySettings,
    /** Octets a second. */
    readonly capacity: number,
  ) {}

  /** A counter that went back was reset: that sample only starts anew. */
  sample(sample: LinkSample): void {
    const last = this.#last;
    this.#last = sample;
    const elapsed = last ? sample.at - last.at : 0;
    if (!last || elapsed <= 0 || sample.octets < last.octets) return;
    const { smoothing } = this.settings;
    const share = smoothing > 0 ? 1 - Math.exp(-elapsed / smoothing) : 1;
    this.rate += share * ((sample.octets - last.octets) / elapsed - this.rate);
    this.backlog += share * (sample.backlog - this.backlog);
  }

  /** Per cent of the capacity. */
  get load(): number {
    return (100 * this.rate) / this.capacity;
  }

  /** Per cent of the reference queue. */
  get queue(): number {
    return (100 * this.backlog) / (this.capacity * this.settings.queueReference);
  }

  get score(): number {
    const { loadWeight } = this.settings;
    return (loadWeight * this.load + (100 - loadWeight) * this.queue) / 100;
  }

  get band(): Band {
    return bandOf(this.score, this.settings);
  }
}

export function bandOf(score: number, { minimum, maximum }: Pick<QualitySettings, 'minimum' | 'maximum'>): Band {
  if (score < minimum) return BEST_BAND;
  if (score > maximum) return WORST_BAND;
  const step = maximum > minimum ? Math.ceil((6 * (score - minimum)) / (maximum - minimum)) : 1;
  return (BEST_BAND - Math.min(6, Math.max(1, step))) as Band;
}
