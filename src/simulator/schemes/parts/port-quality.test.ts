import { describe, expect, it } from 'vitest';
import { LeafTrial } from '../scheme-trial.fixture.js';
import { PortQuality, QUALITY_DEFAULTS, type QualityOptions, refusesQuality } from './port-quality.js';

/** Octets that leave a 100 Gb/s port in a microsecond. */
const LINE = 12_500;
const MICROSECOND = 1e6;

class Watched {
  readonly leaf: LeafTrial;
  quality!: PortQuality;
  readonly port: number;

  constructor(options: Partial<QualityOptions>, rate?: number) {
    this.leaf = new LeafTrial(
      2,
      (context) => {
        this.quality = new PortQuality(context, { ...QUALITY_DEFAULTS, ...options });
        return { choose: () => 0, departing: (port, packet) => this.quality.departing(port, packet) };
      },
      () => rate ?? 100,
    );
    this.port = this.leaf.uplinks[0]!;
    this.leaf.pairs(1);
  }

  /** Sends this share of the line rate (of 100 Gb/s) for so many microseconds from one on. */
  send(share: number, from: number, microseconds: number): void {
    for (let at = from; at < from + microseconds; at++) {
      this.leaf.simulation.events.now = (at + 0.5) * MICROSECOND;
      this.leaf.depart(0, share * LINE);
    }
  }

  band(microsecond: number): number {
    this.leaf.simulation.events.now = microsecond * MICROSECOND;
    return this.quality.band(this.port);
  }
}

const LOAD_ALONE = { rateWeightage: 100, averaging: 0 };

describe('PortQuality', () => {
  it.each([
    [0.19, 7],
    [0.21, 6],
    [0.31, 5],
    [0.5, 4],
    [0.65, 2],
    [0.79, 1],
    [0.81, 0],
    [1, 0],
  ])('puts a load of %f into band %i', (share, band) => {
    const watched = new Watched(LOAD_ALONE);
    watched.send(share, 0, 1);
    expect(watched.band(1)).toBe(band);
  });

  it('knows load against the rate of the port', () => {
    const watched = new Watched(LOAD_ALONE, 400);
    watched.send(1, 0, 1);
    expect(watched.band(1)).toBe(6);
  });

  it('says the same through an interval, whatever is sent in it', () => {
    const watched = new Watched(LOAD_ALONE);
    expect(watched.band(5)).toBe(7);
    watched.send(1, 5, 1);
    expect(watched.band(5.99)).toBe(7);
    expect(watched.band(6)).toBe(0);
    const slow = new Watched({ ...LOAD_ALONE, samplingRate: 62_500 });
    slow.send(1, 0, 16);
    expect(slow.band(15.9)).toBe(7);
    expect(slow.band(16)).toBe(0);
  });

  it('averages as if it had been asked after each interval', () => {
    for (const silence of [1, 2, 3, 5, 8, 13]) {
      const rarely = new Watched({ rateWeightage: 100, averaging: 2 });
      const often = new Watched({ rateWeightage: 100, averaging: 2 });
      rarely.send(1, 0, 9);
      often.send(1, 0, 9);
      for (let at = 9; at < 9 + silence; at++) often.band(at);
      expect(rarely.band(9 + silence)).toBe(often.band(9 + silence));
    }
  });

  it('forgets a load by a factor 3/4 a sample when a sample counts 2^-2', () => {
    const watched = new Watched({ rateWeightage: 100, averaging: 2 });
    watched.send(1, 0, 40);
    expect(watched.band(40)).toBe(0);
    // 0.75 ^ 5 is 23.7 %, above the minimum; ^ 6 is 17.8 %, below.
    expect(watched.band(45)).toBe(6);
    expect(watched.band(46)).toBe(7);
  });

  it('ranks ports by load or by queue, as the weight says', () => {
    for (const [rateWeightage, bands] of [
      [100, [0, 7]],
      [0, [7, 0]],
    ] as const) {
      const watched = new Watched({ rateWeightage, averaging: 0 });
      watched.send(1, 0, 1);
      watched.leaf.queue(1, 200_000);
      expect([watched.band(1), watched.quality.band(watched.leaf.uplinks[1]!)]).toEqual(bands);
    }
  });

  it('takes a queue of the reference for 100 per cent, at the rate of the port', () => {
    const watched = new Watched({ rateWeightage: 0, averaging: 0, queueReference: 16 });
    watched.leaf.queue(0, 0.5 * 16 * LINE);
    expect(watched.band(1)).toBe(4);
    watched.leaf.simulation.ports.setRate(watched.port, 400e9);
    expect(watched.band(2)).toBe(7);
  });

  it('refuses settings that cannot be, by name', () => {
    expect(refusesQuality(QUALITY_DEFAULTS)).toBeUndefined();
    for (const [key, value] of Object.entries({ samplingRate: 0, averaging: -1, minimum: 90, rateWeightage: 101 }))
      expect(refusesQuality({ ...QUALITY_DEFAULTS, [key]: value })).toContain(`${key} ${value}`);
  });
});
