/**
 * The order of what `show` lists: the same before and after a reload, which puts what it changes at the end of the speaker's lists.
 * Interfaces by name, numbers in it by value; then neighbours given by their addresses, IPv4 first.
 */
import { type Address, compareBytes } from '../../core/net/address.js';
import type { ConfiguredNeighbour } from '../../core/speaker/configured-neighbour.js';
import type { FabricLink } from '../../core/speaker/fabric-link.js';
import type { Speaker } from '../../core/speaker/speaker.js';

const { compare } = new Intl.Collator('en', { numeric: true });

/** `to-spine2` before `to-spine10`. */
export function byName<T>(items: Iterable<T>, nameOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => compare(nameOf(a), nameOf(b)));
}

export function byAddress<T extends { readonly address: Address }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => compareAddresses(a.address, b.address));
}

function compareAddresses(a: Address, b: Address): number {
  return a.length - b.length || compareBytes(a, b);
}

/** Links of a speaker, to the fabric or to hosts. */
export function linksInOrder<T extends { readonly config: { readonly name: string } }>(links: readonly T[]): T[] {
  return byName(links, ({ config }) => config.name);
}

export function ownersInOrder(speaker: Speaker): readonly (FabricLink | ConfiguredNeighbour)[] {
  const configured = [...speaker.configured.all].sort(
    (a, b) => compareAddresses(a.config.address, b.config.address) || compare(a.config.name, b.config.name),
  );
  return [...linksInOrder(speaker.fabricLinks), ...configured];
}
