/**
 * Flows that a pattern draws up before a run: Poisson arrivals at a load, a permutation, an incast. Lists of flows, so that the same ones can be
 * written to a file and run again under another scheme.
 */
import { SimulationInputError } from '../input-error.js';
import type { Topology } from '../network/topology.js';
import { hostRates, oversubscription } from '../topology/capacity.js';
import type { Flow } from './flow-list.js';
import { type FlowSizes, meanSize, sizeAt } from './flow-sizes.js';

const PS_PER_SECOND = 1e12;

export interface PoissonSettings {
  readonly sizes: FlowSizes;
  /**
   * Of the capacity between leaves and spines, 0 to 1, as the field's papers count it. What a host sends of its own link is this over the
   * oversubscription: 0.5 in a fabric of 2:1 is a quarter of each host's link.
   */
  readonly load: number;
  /** Flows start within so many picoseconds. */
  readonly duration: number;
}

/** Each host sends flows of random sizes at random times to random other hosts. In order of time. */
export function poissonFlows(topology: Topology, settings: PoissonSettings, random: () => number): Flow[] {
  const { load, sizes, duration } = settings;
  const { hosts } = topology;
  if (hosts < 2) throw new SimulationInputError('random flows need two hosts at least');
  if (!(load > 0)) throw new SimulationInputError(`a load of ${load}: it must be more than 0`);
  if (!(duration > 0)) throw new SimulationInputError(`arrivals for ${duration} ps: it must be more than 0`);
  const hostLoad = hostLoadOf(topology, load);
  const flows: Flow[] = [];
  hostRates(topology).forEach((rate, source) => {
    const between = (8 * meanSize(sizes) * PS_PER_SECOND) / (rate * hostLoad);
    for (let start = after(between, random); start < duration; start += after(between, random)) {
      const other = Math.floor(random() * (hosts - 1));
      const destination = other < source ? other : other + 1;
      flows.push({ source, destination, octets: sizeAt(sizes, random()), start });
    }
  });
  return flows.sort((one, other) => one.start - other.start || one.source - other.source);
}

function hostLoadOf(topology: Topology, load: number): number {
  const ratio = oversubscription(topology);
  const hostLoad = load / ratio;
  if (hostLoad <= 1) return hostLoad;
  throw new SimulationInputError(
    `a load of ${load} in a fabric oversubscribed ${Number(ratio.toFixed(3))}:1 is ${Number(hostLoad.toFixed(3))} of what hosts can send`,
  );
}

/** Picoseconds to the next arrival of a Poisson process. */
function after(mean: number, random: () => number): number {
  return Math.max(1, Math.round(-Math.log(1 - random()) * mean));
}

export interface BulkSettings {
  readonly octets: number;
  /** Picoseconds. */
  readonly start: number;
}

/** Each host sends to one other and receives of one other: a random one (a single cycle through all). */
export function randomPermutation({ hosts }: Topology, settings: BulkSettings, random: () => number): Flow[] {
  if (hosts < 2) throw new SimulationInputError('a permutation needs two hosts at least');
  const order = Array.from({ length: hosts }, (_, host) => host);
  // Sattolo's shuffle: never a host to itself.
  for (let at = hosts - 1; at > 0; at--) {
    const other = Math.floor(random() * at);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order.map((destination, source) => ({ source, destination, ...settings }));
}

/** Each host sends to the one so many further on: with the hosts of a leaf for a stride, each flow crosses the spines. */
export function stridePermutation({ hosts }: Topology, stride: number, settings: BulkSettings): Flow[] {
  if (!Number.isInteger(stride) || stride < 1 || stride >= hosts) {
    throw new SimulationInputError(`a stride of ${stride} among ${hosts} hosts: 1 to ${hosts - 1}`);
  }
  return Array.from({ length: hosts }, (_, source) => ({
    source,
    destination: (source + stride) % hosts,
    ...settings,
  }));
}

/** Several hosts send to one at once. */
export function incast(
  { hosts, names }: Topology,
  receiver: number,
  settings: BulkSettings & { readonly senders: readonly number[] },
): Flow[] {
  const { senders, octets, start } = settings;
  if (senders.length === 0) throw new SimulationInputError('an incast needs a sender at least');
  for (const host of [receiver, ...senders]) {
    if (!(host >= 0 && host < hosts)) throw new SimulationInputError(`an incast with host ${host} of ${hosts}`);
  }
  if (senders.includes(receiver)) {
    throw new SimulationInputError(`${names[receiver] ?? `host ${receiver}`} is sender and receiver of an incast`);
  }
  return senders.map((source) => ({ source, destination: receiver, octets, start }));
}
