import { describe, expect, it } from 'vitest';
import { RouteStore } from '../core/rib/route-store.js';
import { UPDATE_ERRORS } from './bad-update.js';
import { drawScenario } from './draw.js';
import type { Fault } from './fault.js';
import { PLAIN_FABRIC } from './plain-fabric.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/** One from a leaf, whose route it is, and one from a spine, that passes it on; judged while they last and afterwards. */
function told(error: string, seed: number): Scenario {
  const ways = [
    { a: 'leaf1', b: 'spine1' },
    { a: 'spine2', b: 'leaf2' },
  ];
  const faults = ways.map((way, at): Fault => ({ kind: 'bad-update', ...way, error, seed, at, lasting: 'judged' }));
  return { seed: 3, fabric: PLAIN_FABRIC, episodes: [faults] };
}

async function resultOf(error: string, seed = 5) {
  const lines: string[] = [];
  const { violations } = await runScenario(told(error, seed), (line) => lines.push(line));
  const resets = lines.filter((line) => line.includes('established -> idle') && Number(line.split(' ')[0]) < 6);
  return { violations: violations.map(({ invariant }) => invariant), resets: resets.length };
}

describe('a route told with an error', () => {
  it.each(UPDATE_ERRORS)('is heard as it must be: %s', async (error) => {
    expect((await resultOf(error)).violations).toEqual([]);
  });

  it('ends the session, or does not', async () => {
    expect((await resultOf('MP_REACH_NLRI twice')).resets).toBeGreaterThan(0);
    expect((await resultOf('ORIGIN of a wrong length')).resets).toBe(0);
    expect((await resultOf('AIGP of all ones')).resets).toBe(0);
  });

  it('is not what it must be where a withdrawal does nothing', async () => {
    const { withdraw } = RouteStore.prototype;
    RouteStore.prototype.withdraw = () => false;
    try {
      expect((await resultOf('ORIGIN of a wrong length')).violations).toContain('selection');
    } finally {
      RouteStore.prototype.withdraw = withdraw;
    }
  });
});

describe('scenarios with errors in UPDATEs', () => {
  const shape = { spines: 2, leaves: 3, faults: 20 };

  it('are the same without them as before, and have them when they are asked for', () => {
    const kinds = (scenario: Scenario) => scenario.episodes.flat().map(({ kind }) => kind);
    expect(drawScenario(7, { ...shape, also: [] })).toEqual(drawScenario(7, shape));
    expect(kinds(drawScenario(7, shape))).not.toContain('bad-update');
    expect(kinds(drawScenario(7, { ...shape, also: ['bad-update'] }))).toContain('bad-update');
  });

  it.each([1, 2, 3])('become what they must be (seed %i)', async (seed) => {
    const { violations } = await runScenario(drawScenario(seed, { ...shape, also: ['bad-update'] }));
    expect(violations).toEqual([]);
  });
});
