import { describe, expect, it } from 'vitest';
import { Convergence } from './convergence.js';

const DONE = { sessionsUp: true, allEndOfRib: true, idle: true, kernelWrites: 4 };

describe('convergence', () => {
  it('counts from the first link to the moment when everything is done', () => {
    const convergence = new Convergence();
    expect(convergence.observe(DONE, 50)).toBe(false);
    convergence.linkUp(100);
    convergence.linkUp(150);
    for (const missing of ['sessionsUp', 'allEndOfRib', 'idle'] as const) {
      expect(convergence.observe({ ...DONE, [missing]: false }, 200)).toBe(false);
      expect(convergence.duration).toBeUndefined();
    }
    expect(convergence.observe(DONE, 300)).toBe(true);
    expect(convergence.duration).toBe(200);
  });

  it('is over when later changes belong to something else, until a link comes up', () => {
    const convergence = new Convergence();
    expect(convergence.isOver(0)).toBe(true);
    convergence.linkUp(1000);
    expect(convergence.isOver(60_000)).toBe(false);
    convergence.observe(DONE, 60_000);
    expect(convergence.isOver(60_000)).toBe(true);
    convergence.linkUp(70_000);
    convergence.observe(DONE, 70_500);
    expect(convergence.isOver(79_999)).toBe(false);
    expect(convergence.isOver(80_000)).toBe(true);
  });

  it('takes in what neighbours learned a moment later, and says only once that it converged', () => {
    const convergence = new Convergence();
    convergence.linkUp(0);
    expect(convergence.observe(DONE, 300)).toBe(true);
    expect(convergence.observe({ ...DONE, kernelWrites: 9 }, 310)).toBe(false);
    expect(convergence.duration).toBe(310);
    convergence.observe({ ...DONE, kernelWrites: 9 }, 400);
    expect(convergence.duration).toBe(310);
  });

  it('does not count changes that have nothing to do with the link-up any more', () => {
    const convergence = new Convergence();
    convergence.linkUp(0);
    convergence.observe(DONE, 300);
    convergence.observe({ ...DONE, kernelWrites: 9 }, 60_000);
    expect(convergence.duration).toBe(300);
  });

  it('starts anew with the next link-up after that', () => {
    const convergence = new Convergence();
    convergence.linkUp(0);
    convergence.observe(DONE, 300);
    convergence.linkUp(5000);
    expect(convergence.duration).toBeUndefined();
    expect(convergence.observe(DONE, 6200)).toBe(true);
    expect(convergence.duration).toBe(1200);
  });
});
