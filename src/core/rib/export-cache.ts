/**
 * Export results of one slice: the policy runs once per distinct set of attributes and group, not once per route. Results
 * are held until the slice is over.
 */
import { grown } from '../net/grown.js';
import { isTransitAllowed } from '../policy/dpf-policy.js';
import { type ExportContext, type ExportRoute, ROUTE_SOURCES } from '../policy/export-context.js';
import { exportAttributes } from '../policy/export-policy.js';
import type { AttributeId } from '../route/attribute-table.js';
import { MP_NEXT_HOP_OFFSET } from '../wire/bgp/update-encoder.js';
import type { Rib } from './rib.js';
import { routeSource } from './route-source.js';
import type { PeerIndex } from './types.js';

/** What an UPDATE holds besides attributes and the largest prefix: header, lengths, MP_REACH_NLRI with two addresses. */
const ROOM_FOR_ONE_ROUTE = MP_NEXT_HOP_OFFSET + 32 + 1 + 17;

export class ExportCache {
  readonly #rib: Rib;
  /** By attribute id: exported id plus one, 0 for not exported; valid when the stamp is the current one. */
  #results = new Uint32Array(128);
  #stamps = new Float64Array(128);
  #stamp = 0;
  /** The same for a policy that looks at prefixes, by source, id and what it says of the prefix. */
  readonly #byHits = new Map<string, number>();
  #held: AttributeId[] = [];

  constructor(rib: Rib) {
    this.#rib = rib;
  }

  /** Forgets the results, which belong to one context. */
  start(): void {
    this.#stamp += 2 * ROUTE_SOURCES.length;
    this.#byHits.clear();
  }

  finish(): void {
    for (const id of this.#held) this.#rib.attributes.release(id);
    this.#held = [];
  }

  /** The attributes to advertise; `undefined` for a route that stays here. Held by the cache until `finish`. */
  exported(id: AttributeId, peer: PeerIndex, target: ExportTarget): AttributeId | undefined {
    const source = routeSource(this.#rib.peer(peer));
    // Nearly all that a leaf knows; a result for each of them would be room for nothing.
    if (!isTransitAllowed({ source }, target.context)) return undefined;
    if (id >= this.#results.length) {
      this.#results = grown(this.#results, id + 1);
      this.#stamps = grown(this.#stamps, id + 1);
    }
    const distance = this.#rib.interiorCost(peer, id);
    // Attributes have one next hop, which is reached at no cost on a link of ours, or at one cost.
    const stamp = this.#stamp + ROUTE_SOURCES.indexOf(source) + (distance === 0 ? 0 : ROUTE_SOURCES.length);
    if (this.#stamps[id] !== stamp) {
      this.#stamps[id] = stamp;
      this.#results[id] = this.#compute(id, { source, distance }, target);
    }
    const result = this.#results[id]!;
    return result === 0 ? undefined : result - 1;
  }

  /** The same under a policy that looks at prefixes. */
  exportedPrefix(id: AttributeId, peer: PeerIndex, { target, hits }: PrefixTarget): AttributeId | undefined {
    const source = routeSource(this.#rib.peer(peer));
    const distance = this.#rib.interiorCost(peer, id);
    const key = `${source}/${distance}/${id}/${hits}`;
    let result = this.#byHits.get(key);
    if (result === undefined) {
      result = this.#compute(id, { source, distance, hits }, target);
      this.#byHits.set(key, result);
    }
    return result === 0 ? undefined : result - 1;
  }

  #compute(id: AttributeId, route: Omit<ExportRoute, 'attributes'>, target: ExportTarget): number {
    const { attributes: table } = this.#rib;
    const attributes = exportAttributes({ attributes: table.attributes(id), ...route }, target.context);
    if (!attributes) return 0;
    const exported = table.internValue(attributes);
    this.#held.push(exported);
    const octets = table.encoded(exported, target).length;
    if (octets + ROOM_FOR_ONE_ROUTE <= target.maximum) return exported + 1;
    target.tooLarge(octets);
    return 0;
  }
}

export interface PrefixTarget {
  readonly target: ExportTarget;
  readonly hits: string;
}

export interface ExportTarget {
  readonly context: ExportContext;
  readonly fourOctetAs: boolean;
  /** Octets of the largest message. */
  readonly maximum: number;
  /** RFC 8654 section 5: attributes that fit in no message are not sent; the routes with them count as withdrawn. */
  tooLarge(octets: number): void;
}
