/**
 * How good each port is for more traffic, in the eight bands of a DLB switch (7 the best): what left it of late and what waits at it, as moving
 * averages that are taken once an interval (Junos `sampling-rate`), mixed and quantised as `egress-quantization` says. SAI's model of adaptive
 * routing has the same two terms. No vendor prints averages and steps: those are ours, the bands are those of core/dlb/link-quality.ts.
 *
 * Nothing runs by the clock: intervals that have passed are made up for when a port sends or is asked for, so all that ask within an interval hear the
 * same. What was sent is known to the interval; what waits is what waits when they are made up for, a packet's time after the interval's end on a busy
 * port.
 */
import { type Band, BEST_BAND, bandOf } from '../../../core/dlb/link-quality.js';
import { ROW, Word } from '../../network/packets.js';
import type { SchemeContext } from '../scheme.js';
import { refusesRange } from './option-range.js';

export type QualityOptions = {
  readonly samplingRate: number;
  readonly averaging: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly rateWeightage: number;
  readonly queueReference: number;
};

/** The rate is that of Juniper's validated design, thresholds and weight are Junos' examples; averaging is SAI's; the reference is ours. */
export const QUALITY_DEFAULTS: QualityOptions = {
  samplingRate: 1_000_000,
  averaging: 2,
  minimum: 20,
  maximum: 80,
  rateWeightage: 60,
  queueReference: 16,
};

export const QUALITY_MEANING: Readonly<Record<keyof QualityOptions, string>> = {
  samplingRate: 'how often the quality of a port is computed, times a second',
  averaging: 'exponent of the moving averages: a sample counts 2^-averaging',
  minimum: 'score below which a port is in the best band, per cent',
  maximum: 'score above which a port is in the worst band, per cent',
  rateWeightage: "the load's share in the score, per cent; the rest is the queue's (the formula is ours)",
  queueReference: 'a queue that takes so long to leave at line rate counts as 100 per cent, microseconds (ours)',
};

export function refusesQuality(options: QualityOptions): string | undefined {
  const { samplingRate, averaging, minimum, maximum, rateWeightage, queueReference } = options;
  return (
    refusesRange('samplingRate', samplingRate, 1, 1e9) ??
    refusesRange('averaging', averaging, 0, 16) ??
    refusesRange('minimum', minimum, 0, maximum) ??
    refusesRange('maximum', maximum, minimum, 1000) ??
    refusesRange('rateWeightage', rateWeightage, 0, 100) ??
    refusesRange('queueReference', queueReference, 0.001, 1e6)
  );
}

const PS_PER_MICROSECOND = 1e6;
const PS_PER_SECOND = 1e12;

export class PortQuality {
  private readonly context: SchemeContext;
  private readonly options: QualityOptions;
  private readonly interval: number;
  /** What an average keeps of itself when a sample comes. */
  private readonly kept: number;
  /** Octets sent in the interval that runs, and when that ends. */
  private readonly octets: Float64Array;
  private readonly intervalEnd: Float64Array;
  /** Averages: octets sent in an interval, octets waiting. */
  private readonly sent: Float64Array;
  private readonly waiting: Float64Array;
  private readonly bands: Uint8Array;

  constructor(context: SchemeContext, options: QualityOptions) {
    const { count } = context.ports;
    this.context = context;
    this.options = options;
    this.interval = Math.max(1, Math.round(PS_PER_SECOND / options.samplingRate));
    this.kept = 1 - 2 ** -options.averaging;
    this.octets = new Float64Array(count);
    this.intervalEnd = new Float64Array(count).fill(this.interval);
    this.sent = new Float64Array(count);
    this.waiting = new Float64Array(count);
    this.bands = new Uint8Array(count).fill(BEST_BAND);
  }

  /** A packet starts to leave a port. */
  departing(port: number, packet: number): void {
    if (this.context.events.now >= this.intervalEnd[port]!) this.catchUp(port);
    this.octets[port] = this.octets[port]! + this.context.packets.words[(packet << ROW) + Word.bytes]!;
  }

  /** The band of a port, as of the last interval's end. */
  band(port: number): Band {
    if (this.context.events.now >= this.intervalEnd[port]!) this.catchUp(port);
    return this.bands[port]! as Band;
  }

  /** Takes the samples of the intervals that are over. */
  private catchUp(port: number): void {
    const { context, interval, kept } = this;
    const end = this.intervalEnd[port]!;
    const silent = Math.floor((context.events.now - end) / interval);
    const waits = context.ports.backlog(port);
    const fading = silent === 0 ? 1 : kept ** silent;
    const sent = this.sent[port]! * kept + this.octets[port]! * (1 - kept);
    this.sent[port] = sent * fading;
    this.waiting[port] = waits + (this.waiting[port]! - waits) * kept * fading;
    this.octets[port] = 0;
    this.intervalEnd[port] = end + (silent + 1) * interval;
    this.bands[port] = bandOf(this.score(port), this.options);
  }

  /** Per cent. */
  private score(port: number): number {
    const { rateWeightage, queueReference } = this.options;
    const psPerOctet = this.context.ports.psPerOctet[port]!;
    const load = (this.sent[port]! * psPerOctet) / this.interval;
    const queue = (this.waiting[port]! * psPerOctet) / (queueReference * PS_PER_MICROSECOND);
    return rateWeightage * load + (100 - rateWeightage) * queue;
  }
}
