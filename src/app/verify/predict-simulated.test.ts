/** The model against simulated routers: over random fabrics and failures both come to the same paths, choices and forwarding routes. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import { SimulatedFabric } from '../trial/simulated-fabric.js';
import { linkNames } from './failures.js';
import { fallbackOf, type ModelRoute, preferredOf } from './model.js';
import { predict } from './predict.js';

/** Virtual milliseconds in which withdrawals have gone round. */
const SETTLE = 3000;

interface Shape {
  readonly spines: number;
  readonly leaves: number;
  readonly links: number;
  readonly hosts: number;
  readonly mode: 'policy' | 'session';
  readonly ipv4: boolean;
  readonly origin: number;
  readonly step: number;
  /** A leaf with a second interface of its first colour, or a spine without AIGP, or none of these. */
  readonly oddity: 'none' | 'same-colour' | 'no-aigp' | 'no-colour';
  readonly failures: readonly number[];
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  spines: fc.integer({ min: 1, max: 4 }),
  leaves: fc.integer({ min: 2, max: 4 }),
  links: fc.integer({ min: 1, max: 2 }),
  hosts: fc.integer({ min: 1, max: 2 }),
  mode: fc.constantFrom('policy', 'session'),
  ipv4: fc.boolean(),
  origin: fc.integer({ min: 0, max: 100 }),
  step: fc.integer({ min: 1, max: 100 }),
  oddity: fc.constantFrom('none', 'none', 'same-colour', 'no-aigp', 'no-colour'),
  failures: fc.array(fc.nat(), { maxLength: 5 }),
});

function topologyText({ spines, leaves, links, hosts, mode, ipv4, origin, step, oddity }: Shape): string {
  const dpf = `dpf: { mode: ${mode}, aigp-origin: ${origin}, aigp-step: ${step} }`;
  const changed = (keys: string) => `{ ${dpf}, ${keys} }`;
  const fabricOf = (count: number, peer: string, firstAs: number, first: string) => {
    const entries = Array.from({ length: count * links }, (_, index) => {
      const [number, link] = [Math.floor(index / links) + 1, (index % links) + 1];
      const name = links === 1 ? `to-${peer}${number}` : `to-${peer}${number}-${link}`;
      const colour = peer === 'spine' ? index + 1 : link;
      const own = mode === 'session' || peer === 'spine' ? `, colour: ${colour}` : '';
      return `${name}: { accept-remote-as: ${firstAs + number - 1}${index === 0 ? `, ${first}` : own} }`;
    });
    return changed(`fabric: { ${entries.join(', ')} }`);
  };
  const settings: string[] = [];
  if (oddity === 'same-colour')
    settings.push(`leaf1: ${fabricOf(spines, 'spine', 65001, `colour: ${Math.min(2, spines)}`)}`);
  if (oddity === 'no-aigp') settings.push(`spine1: ${fabricOf(leaves, 'leaf', 65101, 'colour: 1, aigp: false')}`);
  if (oddity === 'no-colour')
    settings.push(`spine1: ${fabricOf(leaves, 'leaf', 65101, 'colour: 1, send-colour: false')}`);
  return [
    'name: model',
    `spines: ${spines}`,
    `leaves: ${leaves}`,
    `links-per-pair: ${links}`,
    `hosts-per-leaf: ${hosts}`,
    `dpf-mode: ${mode}`,
    ...(ipv4 ? ['addressing: { ipv4: "10.{leaf}.{host}{uplink}.0/24" }'] : []),
    'settings:',
    `  spines: { ${dpf} }`,
    `  leaves: { ${dpf} }`,
    ...settings.map((line) => `  ${line}`),
  ].join('\n');
}

function planOf(text: string) {
  const parsed = parseTopology(text);
  if (parsed.topology !== undefined) return planLab(parsed.topology);
  throw new Error(`${parsed.problems.map(({ message }) => message).join('\n')}\n${text}`);
}

function expected(route: ModelRoute) {
  const cell = ({ use, colour, aigp }: ModelRoute['paths'][number]) => ({
    state: use === 'hidden' ? 'unused' : use,
    colour: colour ?? null,
    aigp: aigp?.toString() ?? null,
  });
  return {
    paths: Object.fromEntries(route.paths.map((path) => [path.interface, cell(path)])),
    preferred: [...preferredOf(route)].sort(),
    fallback: [...fallbackOf(route)].sort(),
  };
}

const NO_ROUTES = { paths: {}, preferred: [], fallback: [] };

async function found(fabric: SimulatedFabric, router: string) {
  const { uplinks, rows } = await fabric.matrix(router);
  const table = await fabric.table(router);
  return new Map(
    rows.map(({ prefix, cells }) => {
      const present = cells.flatMap((cell, index) =>
        cell.state === 'absent' ? [] : [[uplinks[index]!.interface, cell] as const],
      );
      const { preferred, fallback } = table.get(prefix) ?? { preferred: [], fallback: [] };
      return [
        prefix,
        { paths: Object.fromEntries(present), preferred: [...preferred].sort(), fallback: [...fallback].sort() },
      ];
    }),
  );
}

async function compare(shape: Shape): Promise<void> {
  const plan = planOf(topologyText(shape));
  const names = [...linkNames(plan)].filter(([, { b }]) => plan.routers.some(({ name }) => name === b.node));
  const failed = new Set(shape.failures.map((number) => names[number % names.length]![0]));
  const fabric = new SimulatedFabric(plan, { seed: 5 });
  await fabric.build(() => {});
  await fabric.raise();
  expect(await fabric.ready(60_000)).toEqual([]);
  for (const name of failed) {
    const [a = '', b = '', number] = name.split(/[:/]/);
    await fabric.fail(a, b, number === undefined ? undefined : Number(number));
  }
  await fabric.pause(SETTLE);
  const model = predict(plan, failed);
  for (const { name } of plan.routers) {
    const seen = await found(fabric, name);
    const routes = [...model.routes.get(name)!.values()].filter(({ local }) => !local);
    for (const route of routes)
      expect(seen.get(route.prefix.text) ?? NO_ROUTES, `${name} ${route.prefix.text}`).toEqual(expected(route));
  }
  await fabric.fabric.stop();
}

describe('the model and simulated routers', () => {
  it('come to the same on random fabrics with random failures', async () => {
    await fc.assert(fc.asyncProperty(shapes, compare), { numRuns: 30, seed: 41 });
  });
});
