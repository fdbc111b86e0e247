/** Where the kernels of a fabric send a packet: all ways at once, hop by hop, without asking any router what it thinks. */
import type { Address } from '../core/net/address.js';
import type { Testbed } from './testbed.js';

/** Routers that a router's kernel may hand a packet to next; `undefined` stands for a way that ends in nothing. */
export function nextRouters(bed: Testbed, router: string, destination: Address): (string | undefined)[] {
  const node = bed.node(router);
  return node.tables.lookup(destination).map(({ interfaceIndex }) => {
    const link = node.links.byIndex(interfaceIndex);
    const carried = link?.cable?.carriesFrom(link);
    return carried ? link?.name.slice('to-'.length) : undefined;
  });
}
