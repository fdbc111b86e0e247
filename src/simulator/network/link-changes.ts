/**
 * What happens to links while a simulation runs: down, up, another rate, loss. A link that goes down loses what is on it and what waits for it, both ends
 * see it at once and leave it out of their groups; what routing makes of it is a change of its own, later.
 */
import { EventKind } from '../engine/event-kind.js';
import { SimulationInputError } from '../input-error.js';
import type { FabricSimulation } from './fabric-simulation.js';
import type { Topology } from './topology.js';

export type LinkChange = {
  /** Picoseconds. */
  readonly time: number;
  /** Its place in the topology. */
  readonly link: number;
} & (
  | { readonly kind: 'down' | 'up' }
  /** Bits per second. */
  | { readonly kind: 'rate'; readonly rate: number }
  /** The share of packets that are lost, 0 to 1. */
  | { readonly kind: 'loss'; readonly loss: number }
);

/** The changes themselves, when nothing is wrong with them. */
export function checkLinkChanges(changes: readonly LinkChange[], topology: Topology): readonly LinkChange[] {
  for (const change of changes) {
    const problem = problemOf(change, topology);
    if (problem !== undefined) throw new SimulationInputError(`link change at ${change.time / 1e6} us: ${problem}`);
  }
  return changes;
}

function problemOf(change: LinkChange, { links }: Topology): string | undefined {
  if (!(change.time >= 0) || !Number.isFinite(change.time)) return 'a time before the run';
  if (links[change.link] === undefined) return `link ${change.link}: the fabric has links 0 to ${links.length - 1}`;
  if (change.kind === 'rate' && !(change.rate > 0 && Number.isFinite(change.rate))) {
    return `a rate of ${change.rate} bit/s: it must be more than 0`;
  }
  if (change.kind === 'loss' && !(change.loss >= 0 && change.loss < 1)) {
    return `a loss of ${change.loss}: it must be 0 or more, and less than 1`;
  }
  return undefined;
}

/** Something that happens to the fabric while a simulation runs: to a link, or to tables. */
export interface FabricChange {
  /** Picoseconds. */
  readonly time: number;
  apply(): void;
}

/** Of each change that of the link, and, so long after it went down or came up, that of the tables where routing has them. */
export function linkChanges(
  simulation: FabricSimulation,
  changes: readonly LinkChange[],
  routing?: { readonly convergence: number; rerouted(): void },
): FabricChange[] {
  return checkLinkChanges(changes, simulation.topology).flatMap((change) => {
    const ofLink = { time: change.time, apply: () => apply(simulation, change) };
    if (routing === undefined || (change.kind !== 'down' && change.kind !== 'up')) return [ofLink];
    return [ofLink, { time: change.time + routing.convergence, apply: () => routing.rerouted() }];
  });
}

/** Takes a simulation's `changed` for itself: once for all changes of a run, those of one moment in their order. */
export function scheduleChanges(simulation: FabricSimulation, changes: readonly FabricChange[]): void {
  simulation.changed = (number) => changes[number]!.apply();
  changes.forEach(({ time }, number) => {
    simulation.events.schedule(time, EventKind.change, number, 0);
  });
}

function apply(simulation: FabricSimulation, change: LinkChange): void {
  const { ports } = simulation;
  const ends = [change.link * 2, change.link * 2 + 1];
  switch (change.kind) {
    case 'down':
    case 'up':
      simulation.setLink(change.link, change.kind === 'up');
      break;
    case 'rate':
      simulation.setLinkRate(change.link, change.rate);
      break;
    default:
      for (const port of ends) ports.loss[port] = change.loss;
  }
}
