/**
 * Fabrics of two tiers: each leaf has links to each spine, and hosts. Rail-optimised ones as well, in which the GPUs of a server are at the leaves of
 * its stripe, one each, and all stripes share the spines (Juniper's validated design: two stripes of eight leaves, four spines).
 */
import { SimulationInputError } from '../input-error.js';
import type { Topology } from '../network/topology.js';
import { checkTopology } from './check-topology.js';
import { FabricBuilder } from './fabric-builder.js';

/** One rate for all, or one after the other, over again when there are fewer than needed: mixed speeds. Bits per second. */
export type Rates = number | readonly number[];

interface Uplinks {
  readonly spines: number;
  /** Links between a leaf and a spine. */
  readonly parallelLinks: number;
  /** Of hosts, by leaf. */
  readonly hostRate: Rates;
  /** Of links between leaves and spines, by spine. */
  readonly uplinkRate: Rates;
  /** Of each link, picoseconds. */
  readonly delay: number;
}

export interface ClosShape extends Uplinks {
  readonly leaves: number;
  readonly hostsPerLeaf: number;
}

export interface RailShape extends Uplinks {
  readonly stripes: number;
  /** GPUs of a server, and leaves of a stripe. */
  readonly rails: number;
  readonly serversPerStripe: number;
}

/** `leaf1`, `spine1`, and `host1` to `hostN` leaf by leaf. */
export function clos(shape: ClosShape): Topology {
  const { leaves, hostsPerLeaf } = shape;
  requireCounts({ leaves, hostsPerLeaf, ...countsOf(shape) });
  return fabric(shape, leaves, (host) => Math.floor(host / hostsPerLeaf), leaves * hostsPerLeaf);
}

/** Hosts are ports of GPUs, server by server: `host1` is GPU 1 of server 1, at `leaf1`; `host2` GPU 2, at `leaf2`. */
export function railOptimised(shape: RailShape): Topology {
  const { stripes, rails, serversPerStripe } = shape;
  requireCounts({ stripes, rails, serversPerStripe, ...countsOf(shape) });
  const leafOf = (host: number) => {
    const stripe = Math.floor(host / (rails * serversPerStripe));
    return stripe * rails + (host % rails);
  };
  return fabric(shape, stripes * rails, leafOf, stripes * serversPerStripe * rails);
}

function countsOf({ spines, parallelLinks }: Uplinks): Readonly<Record<string, number>> {
  return { spines, parallelLinks };
}

/** Each must be a whole number, 1 or more. */
export function requireCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (!Number.isInteger(count) || count < 1) {
      throw new SimulationInputError(`a fabric with ${name} ${count}: it must be a whole number, 1 or more`);
    }
  }
}

export function rateAt(rates: Rates, index: number): number {
  return typeof rates === 'number' ? rates : (rates[index % rates.length] ?? 0);
}

function fabric(shape: Uplinks, leaves: number, leafOf: (host: number) => number, hosts: number): Topology {
  const { spines, parallelLinks, hostRate, uplinkRate, delay } = shape;
  const builder = new FabricBuilder();
  for (let leaf = 0; leaf < leaves; leaf++) builder.addSwitch(`leaf${leaf + 1}`, 0);
  for (let spine = 0; spine < spines; spine++) builder.addSwitch(`spine${spine + 1}`, 1);
  for (let host = 0; host < hosts; host++) {
    const leaf = leafOf(host);
    builder.addHost(`host${host + 1}`);
    builder.link(`host${host + 1}`, `leaf${leaf + 1}`, { rate: rateAt(hostRate, leaf), delay, loss: 0 });
  }
  for (let leaf = 0; leaf < leaves; leaf++) {
    for (let spine = 0; spine < spines; spine++) {
      for (let link = 0; link < parallelLinks; link++) {
        builder.link(`leaf${leaf + 1}`, `spine${spine + 1}`, { rate: rateAt(uplinkRate, spine), delay, loss: 0 });
      }
    }
  }
  return checkTopology(builder.build());
}
