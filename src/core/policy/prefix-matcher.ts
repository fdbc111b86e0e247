/** A prefix list that answers in time that depends on how many prefix lengths are in it, not on how many prefixes. */
import { masked, type Prefix } from '../net/prefix.js';
import type { PrefixRange } from './policy.js';

export class PrefixMatcher {
  readonly #entries: readonly PrefixRange[];
  /** By family and length of the entries' prefixes: their masked octets, and which entries have them. */
  readonly #lengths: { octets: number; length: number; byOctets: Map<string, number[]> }[] = [];

  constructor(entries: readonly PrefixRange[]) {
    this.#entries = entries;
    for (const [index, { prefix }] of entries.entries()) this.#add(index, prefix);
  }

  /** The first entry that the prefix is in decides. */
  matches(prefix: Prefix): boolean {
    let first = this.#entries.length;
    for (const { octets, length, byOctets } of this.#lengths) {
      if (octets !== prefix.address.length || length > prefix.length) continue;
      for (const index of byOctets.get(keyOf(prefix, length)) ?? []) {
        if (index < first && this.#holds(index, prefix.length)) first = index;
      }
    }
    return this.#entries[first]?.deny === false;
  }

  #holds(index: number, length: number): boolean {
    const { least, most } = this.#entries[index]!;
    return length >= least && length <= most;
  }

  #add(index: number, prefix: Prefix): void {
    const octets = prefix.address.length;
    let group = this.#lengths.find((other) => other.octets === octets && other.length === prefix.length);
    if (!group) {
      group = { octets, length: prefix.length, byOctets: new Map() };
      this.#lengths.push(group);
    }
    const key = keyOf(prefix, prefix.length);
    const same = group.byOctets.get(key);
    if (same) same.push(index);
    else group.byOctets.set(key, [index]);
  }
}

function keyOf({ address }: Prefix, length: number): string {
  return String.fromCharCode(...masked(address, length));
}
