/** Every single and every double failure of links and spines of a fabric with four spines and four leaves: predicted, and made on virtual time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import { SimulatedFabric } from '../trial/simulated-fabric.js';
import { failuresOf, linkNames } from './failures.js';
import { fallbackOf, preferredOf } from './model.js';
import { predict } from './predict.js';

/** Virtual milliseconds: sessions come up again in less. */
const SETTLE = 4000;

describe('predicted failures of a 4x4 fabric', () => {
  const parsed = parseTopology('name: model\nspines: 4\nleaves: 4\n');
  const plan = planLab(parsed.topology!);
  const fabric = new SimulatedFabric(plan, { seed: 9 });
  const links = [...linkNames(plan)].filter(([, { b }]) => b.node.startsWith('spine')).map(([name]) => name);
  const failures = [...links, ...plan.topology.spines.map(({ name }) => name)];
  const down = new Set<string>();

  const linksOf = (failed: readonly string[]): ReadonlySet<string> => {
    const found = failuresOf(plan, failed);
    if (found.links) return found.links;
    throw new Error(found.problem);
  };

  /** Cuts and mends what differs from what is down, and holds all kernels against the model. */
  async function check(failed: readonly string[]): Promise<void> {
    const wanted = linksOf(failed);
    for (const name of links) {
      const [a = '', b = ''] = name.split(':');
      if (wanted.has(name) && !down.has(name)) await fabric.fail(a, b);
      if (!wanted.has(name) && down.has(name)) await fabric.heal(a, b);
      if (wanted.has(name)) down.add(name);
      else down.delete(name);
    }
    await fabric.pause(SETTLE);
    const model = predict(plan, wanted);
    for (const { name } of plan.routers) {
      const table = await fabric.table(name);
      const found = [...table].map(([prefix, ways]) => text(prefix, ways.preferred, ways.fallback)).sort();
      const expected = [...model.routes.get(name)!.values()]
        .filter(({ paths }) => paths.length > 0)
        .map((route) => text(route.prefix.text, preferredOf(route), fallbackOf(route)))
        .sort();
      expect(found, `${name} with ${failed.join(' and ')} down`).toEqual(expected);
    }
  }

  beforeAll(async () => {
    await fabric.build(() => {});
    await fabric.raise();
    expect(await fabric.ready(60_000)).toEqual([]);
  });
  afterAll(async () => {
    await fabric.down();
  });

  // Each single failure, then with it each other one: so a failure is made and mended beside another that stays.
  it.each(failures)('%s, alone and with each of the others', async (first) => {
    await check([first]);
    for (const second of failures.slice(failures.indexOf(first) + 1)) await check([first, second]);
  });
});

function text(prefix: string, preferred: readonly string[], fallback: readonly string[]): string {
  const list = (names: readonly string[]) => [...names].sort().join(' ');
  return `${prefix} ${list(preferred)} | ${list(fallback)}`;
}
