/**
 * Export results of one slice: the policy runs once per distinct set of attributes and group, not once per route. Results
 * are held until the slice is over.
 */
import { type ExportContext, ROUTE_SOURCES, type RouteSource } from '../policy/export-context.js';
import { exportAttributes } from '../policy/export-policy.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { encodeAttributes, MP_NEXT_HOP_OFFSET } from '../wire/bgp/update-encoder.js';

/** What an UPDATE holds besides attributes and the largest prefix: header, lengths, MP_REACH_NLRI with two addresses. */
const ROOM_FOR_ONE_ROUTE = MP_NEXT_HOP_OFFSET + 32 + 1 + 17;

export class ExportCache {
  readonly #attributes: AttributeTable;
  /** By attribute id: exported id plus one, 0 for not exported; valid when the stamp is the current one. */
  #results = new Uint32Array(128);
  #stamps = new Float64Array(128);
  #stamp = 0;
  /** The same for a policy that looks at prefixes, by source, id and what it says of the prefix. */
  readonly #byHits = new Map<string, number>();
  #held: AttributeId[] = [];

  constructor(attributes: AttributeTable) {
    this.#attributes = attributes;
  }

  /** Forgets the results, which belong to one context. */
  start(): void {
    this.#stamp += ROUTE_SOURCES.length;
    this.#byHits.clear();
  }

  finish(): void {
    for (const id of this.#held) this.#attributes.release(id);
    this.#held = [];
  }

  /** The attributes to advertise; `undefined` for a route that stays here. Held by the cache until `finish`. */
  exported(id: AttributeId, source: RouteSource, target: ExportTarget): AttributeId | undefined {
    if (id >= this.#results.length) this.#grow(id);
    const stamp = this.#stamp + ROUTE_SOURCES.indexOf(source);
    if (this.#stamps[id] !== stamp) {
      this.#stamps[id] = stamp;
      this.#results[id] = this.#compute(id, source, target);
    }
    const result = this.#results[id]!;
    return result === 0 ? undefined : result - 1;
  }

  /** The same under a policy that looks at prefixes. */
  exportedPrefix(id: AttributeId, source: RouteSource, { target, hits }: PrefixTarget): AttributeId | undefined {
    const key = `${source}/${id}/${hits}`;
    let result = this.#byHits.get(key);
    if (result === undefined) {
      result = this.#compute(id, source, target, hits);
      this.#byHits.set(key, result);
    }
    return result === 0 ? undefined : result - 1;
  }

  #compute(id: AttributeId, source: RouteSource, target: ExportTarget, hits = ''): number {
    const attributes = exportAttributes({ attributes: this.#attributes.attributes(id), source, hits }, target.context);
    if (!attributes) return 0;
    const octets = encodeAttributes(attributes, { fourOctetAs: target.fourOctetAs }).length;
    if (octets + ROOM_FOR_ONE_ROUTE > target.maximum) {
      target.tooLarge(octets);
      return 0;
    }
    const exported = this.#attributes.internValue(attributes);
    this.#held.push(exported);
    return exported + 1;
  }

  #grow(id: AttributeId): void {
    const length = Math.max(this.#results.length * 2, id + 1);
    const results = new Uint32Array(length);
    const stamps = new Float64Array(length);
    results.set(this.#results);
    stamps.set(this.#stamps);
    this.#results = results;
    this.#stamps = stamps;
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
