/** A bounded slice of `npm run dst`: the same seeds every time. */
import { describe, expect, it } from 'vitest';
import { SEED } from '../../test/harness/seed.js';
import { DIMENSIONS, drawScenario } from './draw.js';
import { runScenario } from './run-scenario.js';

const SMALL = { spines: 2, leaves: 3, faults: 20 };
const seeds = [1, 2, 3, 4, SEED, SEED + 1, SEED + 2];

describe('a fabric to which things happen', () => {
  it.each(seeds)('becomes what it must be (seed %i)', async (seed) => {
    const { violations, updates } = await runScenario(drawScenario(seed, SMALL));
    expect(violations).toEqual([]);
    expect(updates).toBeGreaterThan(0);
  });

  it.each(DIMENSIONS)('becomes what it must be with more to it: %s', async (dimension) => {
    const scenario = drawScenario(1, { ...SMALL, dimensions: [dimension] });
    expect((await runScenario(scenario)).violations).toEqual([]);
    expect(scenario.fabric).not.toEqual(drawScenario(1, SMALL).fabric);
  });

  it('is the same for the same seed, to the last octet sent', async () => {
    const lines: string[][] = [[], []];
    const results = [];
    for (const trace of lines) results.push(await runScenario(drawScenario(7, SMALL), (line) => trace.push(line)));
    expect(results[0]).toEqual(results[1]);
    expect(lines[0]).toEqual(lines[1]);
    const other = await runScenario(drawScenario(8, SMALL));
    expect(other.digest).not.toBe(results[0]!.digest);
  });
});
