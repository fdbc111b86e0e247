/**
 * DCQCN as the public ns-3 models have it (profile "ns3-conweave"), which is not the paper's: no CNPs but a bit in every ACK, no byte counter; rate
 * cuts at most every 4 us, alpha followed every microsecond, recovery after 300 us. Kept apart from `dcqcn-paper.ts`: results of the two do not
 * compare. The alpha timer is computed when somebody asks, instead of an event every microsecond for each queue pair.
 */
import { grown } from '../../core/net/grown.js';
import { EventKind } from '../engine/event-kind.js';
import type { EventQueue } from '../engine/event-queue.js';
import type { CongestionControl } from './congestion-control.js';
import type { QueuePairs } from './queue-pairs.js';
import { type RateStep, stepOf } from './rate-step.js';

const US = 1e6;
const NS = 1e3;

export interface Ns3DcqcnParameters {
  /** Gain of alpha's average. */
  readonly gain: number;
  /** Picoseconds between alpha's updates, rate cuts and rate increases. */
  readonly alphaInterval: number;
  readonly cutInterval: number;
  readonly increaseInterval: number;
  /** Increases at the start that only halve the way back. */
  readonly fastRecovery: number;
  readonly additive: RateStep;
  readonly hyper: RateStep;
  /** Bits per second. */
  readonly leastRate: number;
}

/** Steps are 10 and 25 Mb/s for each 25 Gb/s of the line: 40 and 100 Mb/s at 100 Gb/s. */
export const NS3_CONWEAVE: Ns3DcqcnParameters = {
  gain: 1 / 256,
  alphaInterval: US,
  cutInterval: 4 * US,
  increaseInterval: 300 * US,
  fastRecovery: 1,
  additive: { ofLine: 0.0004 },
  hyper: { ofLine: 0.001 },
  leastRate: 100e6,
};

const CUT = 0;
const INCREASE = 1;
const OCTET_PS = 8e12;

export class Ns3Dcqcn implements CongestionControl {
  readonly notification = { kind: 'echo' } as const;
  /** Bits per second. */
  private target = new Float64Array(64);
  private line = new Float64Array(64);
  private alpha = new Float64Array(64);
  /** When the first mark came, -1 before it; how many of alpha's intervals since then have been counted. */
  private since = new Float64Array(64);
  private ticks = new Float64Array(64);
  private markedForAlpha = new Uint8Array(64);
  private markedForCut = new Uint8Array(64);
  private stage = new Int32Array(64);
  private increaseAt = new Float64Array(64);
  private increasing = new Uint8Array(64);
  private readonly queuePairs: QueuePairs;
  private readonly events: EventQueue;
  private readonly parameters: Ns3DcqcnParameters;

  constructor(queuePairs: QueuePairs, events: EventQueue, parameters: Ns3DcqcnParameters = NS3_CONWEAVE) {
    this.queuePairs = queuePairs;
    this.events = events;
    this.parameters = parameters;
    queuePairs.growth.push((length) => this.grow(length));
  }

  opened(qp: number): void {
    this.line[qp] = OCTET_PS / this.queuePairs.psPerOctet[qp]!;
    this.target[qp] = this.line[qp]!;
    this.since[qp] = -1;
    this.markedForCut[qp] = 0;
    this.stage[qp] = 0;
    this.increaseAt[qp] = 0;
    this.increasing[qp] = 0;
  }

  congested(qp: number): void {
    if (this.since[qp]! < 0) this.start(qp);
    else this.followAlpha(qp);
    this.markedForAlpha[qp] = this.since[qp] === this.events.now ? 0 : 1;
    if (this.markedForCut[qp] === 1) return;
    this.markedForCut[qp] = 1;
    this.schedule(qp, this.nextCut(qp), CUT);
  }

  sent(): void {}

  timer(qp: number, which: number): void {
    if (which === CUT) this.cut(qp);
    else this.increase(qp);
  }

  private start(qp: number): void {
    this.since[qp] = this.events.now;
    this.ticks[qp] = 0;
    this.alpha[qp] = 1;
    this.target[qp] = this.rate(qp);
  }

  private rate(qp: number): number {
    return OCTET_PS / this.queuePairs.psPerOctet[qp]!;
  }

  /** The first moment after now at which the model looks whether to cut: one nanosecond after every fourth tick of alpha. */
  private nextCut(qp: number): number {
    const { cutInterval } = this.parameters;
    const first = this.since[qp]! + cutInterval + NS;
    if (this.events.now < first) return first;
    return first + (Math.floor((this.events.now - first) / cutInterval) + 1) * cutInterval;
  }

  private followAlpha(qp: number): void {
    const { alphaInterval, gain } = this.parameters;
    const ticks = Math.floor((this.events.now - this.since[qp]!) / alphaInterval);
    const passed = ticks - this.ticks[qp]!;
    if (passed <= 0) return;
    this.ticks[qp] = ticks;
    this.alpha[qp] = this.alpha[qp]! * (1 - gain) ** passed;
    if (this.markedForAlpha[qp] === 1) this.alpha[qp] = this.alpha[qp]! + gain * (1 - gain) ** (passed - 1);
    this.markedForAlpha[qp] = 0;
  }

  private cut(qp: number): void {
    this.followAlpha(qp);
    this.markedForCut[qp] = 0;
    const rate = this.rate(qp);
    if (this.stage[qp] !== 0) this.target[qp] = rate;
    this.setRate(qp, Math.max(this.parameters.leastRate, rate * (1 - this.alpha[qp]! / 2)));
    this.stage[qp] = 0;
    this.increaseAt[qp] = this.events.now + this.parameters.increaseInterval;
    if (this.increasing[qp] === 1) return;
    this.increasing[qp] = 1;
    this.schedule(qp, this.increaseAt[qp]!, INCREASE);
  }

  private increase(qp: number): void {
    if (this.events.now < this.increaseAt[qp]!) {
      this.schedule(qp, this.increaseAt[qp]!, INCREASE);
      return;
    }
    const { fastRecovery, additive, hyper, increaseInterval } = this.parameters;
    const stage = this.stage[qp]!;
    const line = this.line[qp]!;
    const step = stage < fastRecovery ? 0 : stepOf(stage === fastRecovery ? additive : hyper, line);
    this.target[qp] = Math.min(this.target[qp]! + step, line);
    this.setRate(qp, (this.rate(qp) + this.target[qp]!) / 2);
    this.stage[qp] = stage + 1;
    this.increaseAt[qp] = this.events.now + increaseInterval;
    this.schedule(qp, this.increaseAt[qp]!, INCREASE);
  }

  private setRate(qp: number, rate: number): void {
    this.queuePairs.psPerOctet[qp] = OCTET_PS / rate;
  }

  private schedule(qp: number, time: number, which: number): void {
    this.events.schedule(time, EventKind.queuePair, qp, this.queuePairs.timerOf(qp, which));
  }

  private grow(length: number): void {
    this.target = grown(this.target, length);
    this.line = grown(this.line, length);
    this.alpha = grown(this.alpha, length);
    this.since = grown(this.since, length);
    this.ticks = grown(this.ticks, length);
    this.markedForAlpha = grown(this.markedForAlpha, length);
    this.markedForCut = grown(this.markedForCut, length);
    this.stage = grown(this.stage, length);
    this.increaseAt = grown(this.increaseAt, length);
    this.increasing = grown(this.increasing, length);
  }
}
