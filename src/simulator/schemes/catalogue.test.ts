import { describe, expect, it } from 'vitest';
import { SCHEMES } from './catalogue.js';
import { leafSpineTopology, runFlows, simulate } from './scheme-trial.fixture.js';

const topology = leafSpineTopology({ leaves: 3, spines: 3, hosts: 3 });

/** Some of them collide, some are short, all ways are used. */
const flows = Array.from({ length: 36 }, (_, index) => ({
  source: index % 9,
  destination: (index + 3 + (index % 3)) % 9,
  octets: index % 4 === 0 ? 60_000 : 900 * (1 + (index % 7)),
  start: Math.floor(index / 9) * 20e6,
}));

describe('schemes', () => {
  it('have names of their own, as commands have', () => {
    const names = SCHEMES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z-]*$/);
  });

  it.each(SCHEMES)('$name says what each of its options is, and takes its defaults', (scheme) => {
    expect(Object.keys(scheme.meaning).sort()).toEqual(Object.keys(scheme.defaults).sort());
    expect(scheme.refuses?.(topology, scheme.defaults)).toBeUndefined();
    expect(scheme.defaultsWith?.(scheme.defaults) ?? scheme.defaults).toEqual(scheme.defaults);
  });

  it.each(SCHEMES)('$name brings all flows to their end, in the same times from the same seed', (scheme) => {
    const run = () =>
      runFlows(
        simulate(topology, (context) => scheme.create(context, scheme.defaults), 7),
        flows,
      );
    const times = run();
    expect([...times].every((time) => time > 0)).toBe(true);
    expect([...run()]).toEqual([...times]);
  });
});
