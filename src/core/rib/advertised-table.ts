/**
 * What the members of a group are told: for each prefix the exported attributes and the peer that the route came from. A
 * member has been told a prefix when there is an entry and the member is not its source.
 */
import { grown } from '../net/grown.js';
import type { AttributeId } from '../route/attribute-table.js';
import type { PeerIndex, PrefixId } from './types.js';

/** Attribute id plus one (0: no entry), then the source. */
const ENTRY_WORDS = 2;

export class AdvertisedTable {
  /** Entries. */
  size = 0;
  #entries = new Uint32Array(ENTRY_WORDS * 64);
  #bySource = new Uint32Array(64);

  copy(): AdvertisedTable {
    const copy = new AdvertisedTable();
    copy.size = this.size;
    copy.#entries = this.#entries.slice();
    copy.#bySource = this.#bySource.slice();
    return copy;
  }

  /** Every entry's prefix is below this. */
  get end(): PrefixId {
    return this.#entries.length / ENTRY_WORDS;
  }

  attribute(id: PrefixId): AttributeId | undefined {
    const value = this.#entries[id * ENTRY_WORDS];
    return value === undefined || value === 0 ? undefined : value - 1;
  }

  /** Only where there is an entry. */
  source(id: PrefixId): PeerIndex {
    return this.#entries[id * ENTRY_WORDS + 1]!;
  }

  isToldTo(member: PeerIndex, id: PrefixId): boolean {
    return this.attribute(id) !== undefined && this.source(id) !== member;
  }

  countToldTo(member: PeerIndex): number {
    return this.size - (this.#bySource[member] ?? 0);
  }

  set(id: PrefixId, attribute: AttributeId, source: PeerIndex): void {
    this.delete(id);
    if (id >= this.end) this.#entries = grown(this.#entries, (id + 1) * ENTRY_WORDS);
    if (source >= this.#bySource.length) this.#bySource = grown(this.#bySource, source + 1);
    this.#entries[id * ENTRY_WORDS] = attribute + 1;
    this.#entries[id * ENTRY_WORDS + 1] = source;
    this.#bySource[source]!++;
    this.size++;
  }

  delete(id: PrefixId): void {
    if (this.attribute(id) === undefined) return;
    this.#bySource[this.source(id)]!--;
    this.#entries[id * ENTRY_WORDS] = 0;
    this.size--;
  }
}
