/**
 * Next-next-hop nodes (draft-ietf-idr-next-next-hop-nodes) of routes: what a received path says of the routers behind its next hop,
 * and what we say when we are the next hop. Load balancing that knows of congestion further away needs it.
 */
import { equalBytes } from '../net/address.js';
import { AFI, type Family, SAFI_UNICAST } from '../net/family.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { nextNextHopNodes, nextNextHopTlv } from '../wire/bgp/attributes/next-hop-characteristics.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';

/** What our own routes say of themselves: the sending router's identifier, and its next hop on the session. */
export interface NextHopSelf {
  readonly identifier: number;
  readonly nextHop: Uint8Array;
}

/**
 * BGP identifiers behind the next hop of a received path; `undefined` when it says none, or says them of another next hop than the
 * route's (draft-ietf-idr-nhc: not for us) or than the peer.
 */
export function receivedNextNextHops(
  attributes: PathAttributes,
  peerIdentifier: number,
): readonly number[] | undefined {
  const { nextHopCharacteristics: given, nextHop } = attributes;
  if (!given || !nextHop) return undefined;
  const halves =
    given.nextHop.length === 32 ? [given.nextHop.subarray(0, 16), given.nextHop.subarray(16)] : [given.nextHop];
  const own = [nextHop.global, nextHop.linkLocal].filter((address) => address !== undefined);
  if (!halves.some((half) => own.some((address) => equalBytes(half, address)))) return undefined;
  const said = nextNextHopNodes(given);
  return said?.nextHop === peerIdentifier ? said.nodes : undefined;
}

/** Adds NNHN to exported attributes, once per slice and set of nodes. */
export class NextNextHops {
  readonly #attributes: AttributeTable;
  readonly #made = new Map<string, AttributeId>();

  constructor(attributes: AttributeTable) {
    this.#attributes = attributes;
  }

  /** The id of `exported` with our characteristics; held until `finish`. */
  added(exported: AttributeId, family: Family, self: NextHopSelf & { readonly nodes: readonly number[] }): AttributeId {
    const key = `${exported}|${family}|${self.nodes.join(',')}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const tlvs = [nextNextHopTlv({ nextHop: self.identifier, nodes: self.nodes })];
    const nextHopCharacteristics = { afi: AFI[family], safi: SAFI_UNICAST, nextHop: self.nextHop, tlvs };
    const made = this.#attributes.internValue({ ...this.#attributes.attributes(exported), nextHopCharacteristics });
    this.#made.set(key, made);
    return made;
  }

  finish(): void {
    for (const id of this.#made.values()) this.#attributes.release(id);
    this.#made.clear();
  }
}
