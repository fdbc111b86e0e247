/**
 * DCQCN by the rules of its paper ("Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015; profiles "paper" and "rocev2"): the receiver sends
 * CNPs, at most one in 50 us; a CNP cuts the rate by half of alpha, and rate increases come by a timer and by octets sent: fast recovery, then additive,
 * then hyper increase. Kept apart from `dcqcn-ns3.ts`: results of the two do not compare. Alpha's timer is reckoned when somebody asks, instead of being an event; the rate's
 * runs only while the rate is below that of the line.
 */
import { grown } from '../../core/net/grown.js';
import { EventKind } from '../engine/event-kind.js';
import type { EventQueue } from '../engine/event-queue.js';
import type { CongestionControl } from './congestion-control.js';
import type { QueuePairs } from './queue-pairs.js';
import { type RateStep, stepOf } from './rate-step.js';

const US = 1e6;
const OCTET_PS = 8e12;
const INCREASE = 0;

export interface PaperDcqcnParameters {
  /** Gain of alpha's average. */
  readonly gain: number;
  /** Picoseconds between CNPs of a queue pair, between alpha's updates, and between increases by time. */
  readonly noticeInterval: number;
  readonly alphaInterval: number;
  readonly increaseInterval: number;
  /** Octets between increases by octets. */
  readonly increaseOctets: number;
  /** Increases of one kind until fast recovery ends. */
  readonly fastRecovery: number;
  readonly additive: RateStep;
  /** Times how far beyond fast recovery. */
  readonly hyper: RateStep;
  /** Bits per second. */
  readonly leastRate: number;
}

/** The paper does not print `hyper` and `leastRate`: those two are ours. */
export const DCQCN_PAPER: PaperDcqcnParameters = {
  gain: 1 / 256,
  noticeInterval: 50 * US,
  alphaInterval: 55 * US,
  increaseInterval: 55 * US,
  increaseOctets: 10e6,
  fastRecovery: 5,
  additive: { rate: 40e6 },
  hyper: { rate: 400e6 },
  leastRate: 40e6,
};

/** Marking at 40 Gb/s as in the paper. */
export const DCQCN_PAPER_MARKING = { minimum: 5_000, maximum: 200_000, probability: 0.01 } as const;

/**
 * The paper's timers with steps that grow with the line. At 400 Gb/s the paper's own step of 40 Mb/s leaves two flows as unequal as they were for tens of
 * milliseconds. A hundredth of the line (and twice that, as other simulators have the two) is ours, found by measurement: flows that begin at
 * 16:1 have equal shares within 10 ms, and an eightfold incast keeps the link full.
 */
export const DCQCN_OF_LINE: PaperDcqcnParameters = {
  ...DCQCN_PAPER,
  additive: { ofLine: 0.01 },
  hyper: { ofLine: 0.02 },
  leastRate: 100e6,
};

export class PaperDcqcn implements CongestionControl {
  readonly notification: CongestionControl['notification'];
  /** Bits per second. */
  private target = new Float64Array(64);
  private line = new Float64Array(64);
  private alpha = new Float64Array(64);
  /** Up to when alpha has been reckoned. */
  private alphaAt = new Float64Array(64);
  /** Since the last CNP: increases by time and by octets, octets since the last of these. */
  private byTime = new Int32Array(64);
  private byOctets = new Int32Array(64);
  private octets = new Float64Array(64);
  /** When the next increase by time is due; whether an event is under way for it; whether the rate is below the line's. */
  private increaseAt = new Float64Array(64);
  private increasing = new Uint8Array(64);
  private limited = new Uint8Array(64);
  private readonly queuePairs: QueuePairs;
  private readonly events: EventQueue;
  private readonly parameters: PaperDcqcnParameters;

  constructor(queuePairs: QueuePairs, events: EventQueue, parameters: PaperDcqcnParameters = DCQCN_PAPER) {
    this.queuePairs = queuePairs;
    this.events = events;
    this.parameters = parameters;
    this.notification = { kind: 'cnp', interval: parameters.noticeInterval };
    queuePairs.growth.push((length) => this.grow(length));
  }

  opened(qp: number): void {
    this.line[qp] = this.rate(qp);
    this.target[qp] = this.line[qp]!;
    this.alpha[qp] = 1;
    // Alpha stays 1 until the first CNP, with which its timer starts.
    this.alphaAt[qp] = Number.POSITIVE_INFINITY;
    this.increasing[qp] = 0;
    this.limited[qp] = 0;
  }

  congested(qp: number): void {
    const { gain, leastRate, increaseInterval } = this.parameters;
    this.followAlpha(qp);
    const rate = this.rate(qp);
    const alpha = this.alpha[qp]!;
    this.target[qp] = rate;
    this.setRate(qp, Math.max(leastRate, rate * (1 - alpha / 2)));
    this.alpha[qp] = (1 - gain) * alpha + gain;
    this.alphaAt[qp] = this.events.now;
    this.byTime[qp] = 0;
    this.byOctets[qp] = 0;
    this.octets[qp] = 0;
    this.limited[qp] = 1;
    this.increaseAt[qp] = this.events.now + increaseInterval;
    if (this.increasing[qp] === 0) this.schedule(qp);
  }

  sent(qp: number, bytes: number): void {
    if (this.limited[qp] === 0) return;
    const octets = this.octets[qp]! + bytes;
    this.octets[qp] = octets;
    if (octets < this.parameters.increaseOctets) return;
    this.octets[qp] = octets - this.parameters.increaseOctets;
    this.byOctets[qp] = this.byOctets[qp]! + 1;
    this.increase(qp);
  }

  timer(qp: number): void {
    this.increasing[qp] = 0;
    if (this.limited[qp] === 0) return;
    if (this.events.now >= this.increaseAt[qp]!) {
      this.byTime[qp] = this.byTime[qp]! + 1;
      this.increase(qp);
      this.increaseAt[qp] = this.events.now + this.parameters.increaseInterval;
    }
    if (this.limited[qp] === 1) this.schedule(qp);
  }

  /** Alpha halves its way to 0 by `gain` for each of its intervals without a CNP. */
  private followAlpha(qp: number): void {
    const { alphaInterval, gain } = this.parameters;
    const passed = Math.floor((this.events.now - this.alphaAt[qp]!) / alphaInterval);
    if (passed > 0) this.alpha[qp] = this.alpha[qp]! * (1 - gain) ** passed;
  }

  private increase(qp: number): void {
    const { fastRecovery, additive, hyper } = this.parameters;
    const most = Math.max(this.byTime[qp]!, this.byOctets[qp]!);
    const least = Math.min(this.byTime[qp]!, this.byOctets[qp]!);
    const line = this.line[qp]!;
    if (least > fastRecovery) this.target[qp] = this.target[qp]! + (least - fastRecovery) * stepOf(hyper, line);
    else if (most >= fastRecovery) this.target[qp] = this.target[qp]! + stepOf(additive, line);
    this.target[qp] = Math.min(this.target[qp]!, line);
    const rate = (this.rate(qp) + this.target[qp]!) / 2;
    // A millionth below the line's rate is the line's: halving alone never gets there.
    this.limited[qp] = rate < line * (1 - 1e-6) ? 1 : 0;
    this.setRate(qp, this.limited[qp] === 1 ? rate : line);
  }

  private rate(qp: number): number {
    return OCTET_PS / this.queuePairs.psPerOctet[qp]!;
  }

  private setRate(qp: number, rate: number): void {
    this.queuePairs.psPerOctet[qp] = OCTET_PS / rate;
  }

  private schedule(qp: number): void {
    this.increasing[qp] = 1;
    this.events.schedule(this.increaseAt[qp]!, EventKind.queuePair, qp, this.queuePairs.timerOf(qp, INCREASE));
  }

  private grow(length: number): void {
    this.target = grown(this.target, length);
    this.line = grown(this.line, length);
    this.alpha = grown(this.alpha, length);
    this.alphaAt = grown(this.alphaAt, length);
    this.byTime = grown(this.byTime, length);
    this.byOctets = grown(this.byOctets, length);
    this.octets = grown(this.octets, length);
    this.increaseAt = grown(this.increaseAt, length);
    this.increasing = grown(this.increasing, length);
    this.limited = grown(this.limited, length);
  }
}
