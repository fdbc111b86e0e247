/** Small fabrics of both kinds, whole; and that the check of forwarding can fail. */
import { expect, it } from 'vitest';
import { VirtualFabric } from '../simulator/virtual-fabric.js';
import { type ClosSize, closShape } from './clos-shape.js';
import { checkLeaves } from './forwarding-check.js';
import { type Failure, ScaleTrial } from './scale-trial.js';
import { parseSize } from './size.js';

function trial(size: ClosSize, failures: readonly Failure[]): ScaleTrial {
  const nothing = { cpu: () => 0, octetsInUse: () => 0, say: () => {} };
  return new ScaleTrial(size, { seed: 3, delay: 0.01, tableDelay: 10, failures, checks: 4, ...nothing });
}

it('takes 16 leaves under 4 spines from cold to quiet, through failures and back', async () => {
  const { paths, links, routers, checked, steps } = await trial(parseSize('16x4', 8), ['link', 'bfd', 'restart']).run();
  expect({ routers, links, checked }).toEqual({ routers: 20, links: 64, checked: { prefixes: 4 * 15 * 8, wrong: [] } });
  // Every leaf has its own prefixes and those of all others over each spine; every spine all.
  expect(paths).toBe(16 * (8 + 15 * 8 * 4) + 4 * 16 * 8);
  const named = new Map(steps.map((step) => [step.step, step]));
  expect([...named.keys()]).toEqual([
    'cold start',
    'link down',
    'link up',
    'link silent, BFD',
    'link heard again, BFD',
    'spine restarted gracefully',
  ]);
  expect(named.get('cold start')!.updates).toBeGreaterThan(16 * 4 * 15);
  // The tables are worked 10 ms after the carrier is lost; BFD with 3 x 100 ms says so of a silent link.
  expect(named.get('link down')!.convergence).toBeLessThan(50);
  expect(named.get('link silent, BFD')!.convergence).toBeGreaterThan(200);
  expect(named.get('link silent, BFD')!.convergence).toBeLessThan(400);
  // Nothing changes in any forwarding table.
  expect(named.get('spine restarted gracefully')!.operations).toBe(0);
});

it('takes a fabric of five stages from cold to quiet, every prefix of every pod on the uplink of its colour', async () => {
  const { routers, checked } = await trial(parseSize('2*3x2+2', 2), []).run();
  expect({ routers, checked }).toEqual({ routers: 2 * 5 + 4, checked: { prefixes: 3 * 5 * 2, wrong: [] } });
});

it('takes a fabric in session mode from cold to quiet: one path a prefix, and one over its backup colour', async () => {
  const { paths, checked } = await trial(parseSize('6x4', 8, 'session'), []).run();
  expect(checked).toEqual({ prefixes: 3 * 5 * 8, wrong: [] });
  // A leaf has its own and two of each other; each of the spines has those of a quarter of all, and those that it backs up.
  expect(paths).toBe(6 * (8 + 5 * 8 * 2) + 4 * ((6 * 8) / 4) * 2);
});

it('sees routes that are not as they should be', async () => {
  const size = parseSize('3x2', 2);
  const fabric = new VirtualFabric(closShape(size), { seed: 1, delay: 0.01, log: () => ({ write: () => {} }) });
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(3000);
  const look = () => checkLeaves((name) => fabric.node(name), size, 3);
  expect((await look()).wrong).toEqual([]);
  fabric.fail('leaf1-1', 'spine1-2');
  await fabric.clock.runUntil(4000);
  const { wrong } = await look();
  expect(wrong).toContain('leaf1-1: fd00:2:1::/64 metric 30: no route, expected spine1-2');
  expect(wrong).toContain('leaf1-1: fd00:2:2::/64 metric 20: spine1-1, expected spine1-2');
});
