/** A link that goes down and comes up in the middle of a run: every scheme that decides by what its switch knows gets over it. */
import { describe, expect, it } from 'vitest';
import { NoCongestionControl } from '../hosts/congestion-control.js';
import { Irn } from '../hosts/irn.js';
import { linkChanges, scheduleChanges } from '../network/link-changes.js';
import { setShortestPaths } from '../network/shortest-paths.js';
import { smallFabric } from '../network/small-fabric.fixture.js';
import type { Flow } from '../workload/flow-list.js';
import { SCHEMES } from './catalogue.js';
import { leafSpineTopology, runFlows } from './scheme-trial.fixture.js';

const US = 1e6;
const [DOWN, SETTLED, UP, LATER] = [50 * US, 150 * US, 400 * US, 550 * US];
const CONVERGENCE = 20 * US;
const topology = leafSpineTopology({ leaves: 3, spines: 3, hosts: 4 });
const link = topology.links.findIndex(({ a, b }) => topology.names[a] === 'leaf1' && topology.names[b] === 'spine2');

/** Every host sends all the time, a short flow after the other, to hosts of the other leaves in turn. */
const flows: Flow[] = Array.from({ length: 12 * 40 }, (_, index) => {
  const source = index % 12;
  const round = Math.floor(index / 12);
  return { source, destination: (source + 4 + (round % 8)) % 12, octets: 20_000, start: round * 20 * US };
});

const LOCAL = [
  ['ecmp', {}],
  ['ecmp', { queuePair: true }],
  ['resilient-hash', {}],
  ['wcmp', {}],
  ['letflow', {}],
  ['drill', {}],
  ['dlb', { mode: 'flowlet' }],
  ['dlb', { mode: 'per-packet' }],
  ['dlb', { mode: 'assigned-flow' }],
  ['selective-dlb', {}],
  ['reactive', {}],
  ['alb', { interval: 50 }],
] as const;

function run(name: string, options: Readonly<Record<string, string | number | boolean>>) {
  const definition = SCHEMES.find((scheme) => scheme.name === name)!;
  const simulation = smallFabric(topology, {
    scheme: (context) => definition.create(context, { ...definition.defaults, ...options }),
    congestion: () => new NoCongestionControl(),
    reliability: (queuePairs) =>
      new Irn(queuePairs, 1000, { window: 100_000, lowTimeout: 100 * US, highTimeout: 100 * US, few: 3 }),
  });
  const { ports, forwarding } = simulation;
  const rerouted = () => setShortestPaths(forwarding, topology, (port) => ports.up[port] === 1);
  const sent = () => ports.sentOctets[link * 2]! + ports.sentOctets[link * 2 + 1]!;
  const seen: number[] = [];
  const looks = [DOWN, SETTLED, UP - 1, LATER].map((time) => ({ time, apply: () => seen.push(sent()) }));
  const changes = linkChanges(
    simulation,
    [
      { time: DOWN, link, kind: 'down' },
      { time: UP, link, kind: 'up' },
    ],
    { convergence: CONVERGENCE, rerouted },
  );
  scheduleChanges(simulation, [...looks, ...changes]);
  const times = runFlows(simulation, flows);
  return { simulation, times, sent: seen };
}

describe('a link that goes down and comes up in the middle of a run', () => {
  it.each(LOCAL)('is left at once and taken again with %s %o', (name, options) => {
    const { simulation, times, sent } = run(name, options);
    const [before, settled, end, after] = sent as [number, number, number, number];
    expect([...times].filter((time) => !(time > 0))).toEqual([]);
    expect(before).toBeGreaterThan(50_000);
    expect(end).toBe(settled);
    // What was being sent when it went down may be counted then.
    expect(settled - before).toBeLessThan(3 * 1048);
    expect(after - end).toBeGreaterThan(50_000);
    expect(simulation.packets.live).toBe(0);
    expect(Math.max(...simulation.buffer.used)).toBe(0);
  });
});
