/** The control loop against a group that behaves as the kernel's: traffic in buckets, of which idle ones move. */
import { describe, expect, it } from 'vitest';
import { type FlowletSettings, FlowletShares } from './flowlet-shares.js';
import { bandOf } from './link-quality.js';

const SETTINGS: FlowletSettings = { qualityDelta: 2, persistence: 2, settle: 2, gain: 0.6 };
const QUANTIZATION = { minimum: 20, maximum: 80 };

function scored(...scores: number[]) {
  return scores.map((score) => ({ score, band: bandOf(score, QUANTIZATION) }));
}

describe('flowlet shares', () => {
  it('start as asked for', () => {
    expect(new FlowletShares(SETTINGS, [1, 1, 2], 128).shares).toEqual([32, 32, 64]);
  });

  it('shrink on the worse link and grow on the better, once that was seen often enough', () => {
    const shares = new FlowletShares(SETTINGS, [1, 1], 128);
    expect(shares.look(scored(90, 10))).toBe(false);
    expect(shares.look(scored(90, 10))).toBe(true);
    expect(shares.shares[0]).toBeLessThan(64);
    expect(shares.shares[0]! + shares.shares[1]!).toBe(128);
  });

  it('do not move for a difference below the delta, however long it lasts', () => {
    const shares = new FlowletShares(SETTINGS, [1, 1], 128);
    for (let i = 0; i < 50; i++) expect(shares.look(scored(45, 55))).toBe(false);
  });

  it('do not move for a difference that does not last', () => {
    const shares = new FlowletShares(SETTINGS, [1, 1], 128);
    for (let i = 0; i < 50; i++) expect(shares.look(i % 2 ? scored(90, 10) : scored(50, 50))).toBe(false);
  });

  it('rest after a move', () => {
    const shares = new FlowletShares(SETTINGS, [1, 1], 128);
    const moves = Array.from({ length: 9 }, () => shares.look(scored(90, 10)));
    expect(moves).toEqual([false, true, false, false, false, true, false, false, false]);
  });

  it('never give up on a member for good', () => {
    const shares = new FlowletShares(SETTINGS, [1, 1, 1], 128);
    for (let i = 0; i < 500; i++) shares.look(scored(100, 10, 10));
    expect(shares.shares[0]).toBeGreaterThanOrEqual(1);
    for (let i = 0; i < 100; i++) shares.look(scored(0, 90, 90));
    expect(shares.shares[0]).toBeGreaterThan(42);
  });

  it('go back to what was asked for when the group is idle', () => {
    const shares = new FlowletShares(SETTINGS, [1, 3], 128);
    for (let i = 0; i < 40; i++) shares.look(scored(10, 95));
    expect(shares.shares).not.toEqual([32, 96]);
    for (let i = 0; i < 40; i++) shares.look(scored(0, 0));
    expect(shares.shares).toEqual([32, 96]);
  });

  it('even out links of unequal speed: settles, and near to even', () => {
    const capacity = [100, 100, 50];
    const offered = 150;
    const loop = new FlowletShares(SETTINGS, [1, 1, 1], 128);
    const scores = () => loop.shares.map((share, place) => (100 * offered * share) / 128 / capacity[place]!);
    const before = Math.max(...scores());
    for (let i = 0; i < 200; i++) loop.look(scored(...scores()));
    const settled = loop.moves;
    for (let i = 0; i < 200; i++) loop.look(scored(...scores()));
    expect(before).toBeGreaterThan(95);
    expect(Math.max(...scores())).toBeLessThan(72);
    expect(loop.moves - settled).toBe(0);
  });
});
