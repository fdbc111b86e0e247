/** Shared by tests of this folder: two leaves with a host each and spines between them, each router's configuration open to change. */
import { parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { FabricInterfaceConfig, HostPrefix, SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import type { FabricShape } from './virtual-fabric.js';
import { VirtualFabric } from './virtual-fabric.js';

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export interface Uplink {
  readonly spine: number;
  /** At the leaf's end and at the spine's. */
  readonly leafEnd?: Partial<FabricInterfaceConfig>;
  readonly spineEnd?: Partial<FabricInterfaceConfig>;
}

export interface LeafSpine {
  /** Those of either leaf, `up1`, `up2`, ...; the spine's ends are `leaf1-1`, `leaf1-2`, .... */
  readonly uplinks: readonly Uplink[];
  /** Of the host behind leaf 1. */
  readonly prefixes: readonly (Omit<HostPrefix, 'prefix' | 'gateway'> & { readonly prefix: string })[];
  readonly changes?: Partial<SpeakerConfig>;
}

function shapeOf({ uplinks, prefixes, changes = {} }: LeafSpine): FabricShape {
  const spines = [...new Set(uplinks.map(({ spine }) => spine))];
  const hosted = prefixes.map(({ prefix, ...rest }) => {
    const parsed = parsePrefix(prefix)!;
    return { ...rest, prefix: parsed, gateway: Uint8Array.from(parsed.address).fill(1, 15) };
  });
  const leaves = [1, 2].map((leaf) =>
    router(`leaf${leaf}`, 65100 + leaf, {
      role: 'leaf',
      fabric: uplinks.map(({ leafEnd }, index) => link(`up${index + 1}`, leafEnd)),
      hosts: [{ name: 'to-host', prefixes: leaf === 1 ? hosted : [] }],
      ...changes,
    }),
  );
  const middle = spines.map((spine) => {
    const ends = uplinks.map((uplink, index) => ({ ...uplink, place: index + 1 })).filter((end) => end.spine === spine);
    const fabric = [1, 2].flatMap((leaf) => ends.map((end) => link(`leaf${leaf}-${end.place}`, end.spineEnd)));
    return router(`spine${spine}`, 65000 + spine, { fabric, ...changes });
  });
  return {
    routers: [...middle, ...leaves].map((config) => ({ name: config.name, config })),
    hosts: ['host1', 'host2'],
    wires: [1, 2].flatMap((leaf) => [
      ...uplinks.map(({ spine }, index) => ({
        a: { node: `leaf${leaf}`, interface: `up${index + 1}` },
        b: { node: `spine${spine}`, interface: `leaf${leaf}-${index + 1}` },
      })),
      { a: { node: `leaf${leaf}`, interface: 'to-host' }, b: { node: `host${leaf}`, interface: 'eth0' } },
    ]),
  };
}

/** Up and settled after three virtual seconds. */
export async function leafSpine(of: LeafSpine): Promise<VirtualFabric> {
  const fabric = new VirtualFabric(shapeOf(of), { seed: 5, delay: 0.01, log: () => ({ write: () => {} }) });
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(3000);
  return fabric;
}

/** Packets of `count` flows from host 2 to an address behind leaf 1, by the interface with which they leave a node. */
export function sharesAt(fabric: VirtualFabric, node: string, destination: string, count = 64): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const flow of numbers(count)) {
    const path = fabric.trace('host2', parseAddress(destination)!, flow);
    const name = path.at(-1)?.node === 'host1' ? path.find((end) => end.node === node)?.interface : 'lost';
    if (name !== undefined) shares[name] = (shares[name] ?? 0) + 1;
  }
  return shares;
}
