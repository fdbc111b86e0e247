/**
 * ORIGINATOR_ID in reflected routes (RFC 4456 section 8): where a route has none, the identifier of the internal neighbour that said
 * it. Equal attributes of two neighbours become different ones here, which is why it is no part of what the export cache keeps.
 */
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import type { PeerIndex } from './types.js';

/** What the attribute takes in a message: room for it is needed before it is known whether it is added. */
export const ORIGINATOR_OCTETS = 7;

const PEERS = 0x10000;

export class Originators {
  readonly #attributes: AttributeTable;
  /** By exported attributes and neighbour, as one number. */
  readonly #made = new Map<number, AttributeId>();

  constructor(attributes: AttributeTable) {
    this.#attributes = attributes;
  }

  /** The id of `exported` with the attribute; held until `finish`. */
  named(exported: AttributeId, peer: PeerIndex, identifier: number): AttributeId {
    const value = this.#attributes.attributes(exported);
    if (value.originatorId !== undefined) return exported;
    const key = exported * PEERS + peer;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#attributes.internValue({ ...value, originatorId: identifier });
    this.#made.set(key, made);
    return made;
  }

  finish(): void {
    for (const id of this.#made.values()) this.#attributes.release(id);
    this.#made.clear();
  }
}
