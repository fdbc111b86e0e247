import { describe, expect, it } from 'vitest';
import { bandOf, LinkQuality, type QualitySettings } from './link-quality.js';

const SETTINGS: QualitySettings = { minimum: 20, maximum: 80, loadWeight: 60, smoothing: 0, queueReference: 0.001 };
const CAPACITY = 1_000_000;

function link(settings: Partial<QualitySettings> = {}): LinkQuality {
  return new LinkQuality({ ...SETTINGS, ...settings }, CAPACITY);
}

/** After one second at `load` of the capacity with `backlog` octets waiting. */
function measured(load: number, backlog: number, settings: Partial<QualitySettings> = {}): LinkQuality {
  const quality = link(settings);
  quality.sample({ at: 0, octets: 500, backlog: 0 });
  quality.sample({ at: 1, octets: 500 + load * CAPACITY, backlog });
  return quality;
}

describe('the band of a score', () => {
  it.each([
    [0, 7],
    [19.9, 7],
    [20, 6],
    [30, 6],
    [30.1, 5],
    [40, 5],
    [50, 4],
    [60, 3],
    [70, 2],
    [79, 1],
    [80, 1],
    [80.1, 0],
    [1000, 0],
  ])('%d per cent between 20 and 80 is band %d', (score, band) => {
    expect(bandOf(score, SETTINGS)).toBe(band);
  });

  it('never improves as the score rises', () => {
    let last = 7;
    for (let score = 0; score <= 100; score += 0.25) {
      const band = bandOf(score, SETTINGS);
      expect(band).toBeLessThanOrEqual(last);
      last = band;
    }
    expect(last).toBe(0);
  });
});

describe('the quality of a link', () => {
  it('is best before anything is known', () => {
    const quality = link();
    expect(quality.band).toBe(7);
    quality.sample({ at: 0, octets: 1e12, backlog: 0 });
    expect(quality.band).toBe(7);
  });

  it('mixes load and queue by the weight', () => {
    const half = measured(0.5, 400);
    expect(half.load).toBeCloseTo(50);
    expect(half.queue).toBeCloseTo(40);
    expect(half.score).toBeCloseTo(0.6 * 50 + 0.4 * 40);
  });

  it('ranks by load alone or by queue alone at the ends of the weight', () => {
    const busy = (loadWeight: number) => measured(0.9, 0, { loadWeight }).score;
    const queued = (loadWeight: number) => measured(0.1, 900, { loadWeight }).score;
    expect(busy(100)).toBeGreaterThan(queued(100));
    expect(busy(0)).toBeLessThan(queued(0));
  });

  it('follows a step by its time constant', () => {
    const quality = link({ smoothing: 1 });
    quality.sample({ at: 0, octets: 0, backlog: 0 });
    for (let tenth = 1; tenth <= 10; tenth++)
      quality.sample({ at: tenth / 10, octets: (tenth / 10) * CAPACITY, backlog: 0 });
    expect(quality.load).toBeCloseTo(100 * (1 - Math.exp(-1)), 5);
  });

  it('is the same whether a second is seen in one sample or in a hundred', () => {
    const once = link({ smoothing: 0.5 });
    const often = link({ smoothing: 0.5 });
    for (const quality of [once, often]) quality.sample({ at: 0, octets: 0, backlog: 0 });
    once.sample({ at: 1, octets: 0.3 * CAPACITY, backlog: 0 });
    for (let i = 1; i <= 100; i++) often.sample({ at: i / 100, octets: 0.003 * i * CAPACITY, backlog: 0 });
    expect(often.load).toBeCloseTo(once.load, 5);
  });

  it('takes a counter that went back for a new start, not for a load', () => {
    const quality = measured(0.5, 0);
    quality.sample({ at: 2, octets: 10, backlog: 0 });
    expect(quality.load).toBeCloseTo(50);
    quality.sample({ at: 3, octets: 10 + 0.2 * CAPACITY, backlog: 0 });
    expect(quality.load).toBeCloseTo(20);
  });

  it('ignores a sample of the same moment', () => {
    const quality = measured(0.5, 0);
    quality.sample({ at: 1, octets: 5 * CAPACITY, backlog: 0 });
    expect(quality.load).toBeCloseTo(50);
  });
});
