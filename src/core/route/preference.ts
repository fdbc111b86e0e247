/**
 * What the decision process asks of path attributes (RFC 4271 section 9.1.2, RFC 7311 section 4), one column per question,
 * filled once per distinct set of attributes.
 */
import { type Address, isLinkLocal, isUnspecified } from '../net/address.js';
import { grown } from '../net/grown.js';
import { colourOf } from '../wire/bgp/colour.js';
import { linkBandwidthOf } from '../wire/bgp/link-bandwidth.js';
import { hex } from '../wire/bgp/octets.js';
import type { AsPathSegment, PathAttributes } from '../wire/bgp/path-attributes.js';

/** RFC 4271 section 9.1.1 leaves it to us; this is everyone's default. */
export const DEFAULT_LOCAL_PREF = 100;

export const HAS_AIGP = 1;
export const HAS_COLOUR = 2;
/** RFC 10005: the paths of a set may have unequal shares. */
export const HAS_BANDWIDTH = 4;
/** A link-local next hop: on the link of the session by definition. */
export const LINK_LOCAL_NEXT_HOP = 8;
export const GLOBAL_NEXT_HOP = 16;
/** RFC 9494: least preferred. */
export const LONG_LIVED_STALE = 32;
/** RFC 8326: what comes from another AS with this community gets the lowest LOCAL_PREF. */
export const GRACEFUL_SHUTDOWN = 64;
/** RFC 4456: the originator column counts. */
export const HAS_ORIGINATOR = 128;

/** Communities of RFC 9494. */
export const LLGR_STALE = 0xffff0006;
export const NO_LLGR = 0xffff0007;
/** Community of RFC 8326. */
export const GSHUT = 0xffff0000;

/** Link-local next hops that have a number: more than a fabric has, and a neighbour may invent as many as it likes. */
const MOST_GATEWAYS = 1 << 16;
/** The number of those that have none. */
export const UNKNOWN_GATEWAY = 0x7fffffff;

export class PreferenceColumns {
  /** Flags that any set of attributes ever had, and whether one had a MULTI_EXIT_DISC above 0: what nobody has decides nothing. */
  everFlags = 0;
  everMed = false;
  flags = new Uint8Array(128);
  origin = new Uint8Array(128);
  asPathLength = new Uint16Array(128);
  localPref = new Uint32Array(128);
  med = new Uint32Array(128);
  /** Leftmost AS: whose MEDs compare. 0 for an empty AS_PATH. */
  neighbourAs = new Uint32Array(128);
  /** Rightmost AS. 0 for an empty AS_PATH or one that ends in a set. */
  originAs = new Uint32Array(128);
  aigpHigh = new Uint32Array(128);
  aigpLow = new Uint32Array(128);
  colour = new Uint32Array(128);
  /** ORIGINATOR_ID (RFC 4456 section 8). */
  originatorId = new Uint32Array(128);
  /** Clusters that reflected the route. */
  clusterListLength = new Uint16Array(128);
  /** Equal for equal link-local next hops; 0 without one, UNKNOWN_GATEWAY for some. */
  gateway = new Uint32Array(128);
  readonly #gateways = new Map<string, number>();

  set(id: number, attributes: PathAttributes): void {
    if (id >= this.flags.length) this.#grow();
    const path = attributes.asPath;
    const colour = colourOf(attributes);
    this.flags[id] = flagsOf(attributes, colour);
    this.everFlags |= this.flags[id]!;
    this.origin[id] = attributes.origin;
    this.asPathLength[id] = asPathLength(path);
    this.localPref[id] = attributes.localPref ?? DEFAULT_LOCAL_PREF;
    // RFC 4271 section 9.1.2.2 c: a missing MULTI_EXIT_DISC is the lowest possible.
    this.med[id] = attributes.med ?? 0;
    if (this.med[id] > 0) this.everMed = true;
    const first = path[0];
    this.neighbourAs[id] = first?.kind === 'sequence' ? (first.asns[0] ?? 0) : 0;
    const last = path.at(-1);
    this.originAs[id] = last?.kind === 'sequence' ? (last.asns.at(-1) ?? 0) : 0;
    const metric = attributes.aigp?.metric ?? 0n;
    this.aigpHigh[id] = Number(metric >> 32n);
    this.aigpLow[id] = Number(metric & 0xffffffffn);
    this.colour[id] = colour ?? 0;
    this.originatorId[id] = attributes.originatorId ?? 0;
    this.clusterListLength[id] = attributes.clusterList?.length ?? 0;
    this.gateway[id] = this.#numberOf(attributes.nextHop?.linkLocal);
  }

  #numberOf(gateway: Address | undefined): number {
    if (!gateway) return 0;
    const key = hex(gateway);
    const known = this.#gateways.get(key);
    if (known !== undefined) return known;
    if (this.#gateways.size >= MOST_GATEWAYS) return UNKNOWN_GATEWAY;
    const number = this.#gateways.size + 1;
    this.#gateways.set(key, number);
    return number;
  }

  #grow(): void {
    const length = this.flags.length * 2;
    this.flags = grown(this.flags, length);
    this.origin = grown(this.origin, length);
    this.asPathLength = grown(this.asPathLength, length);
    this.localPref = grown(this.localPref, length);
    this.med = grown(this.med, length);
    this.neighbourAs = grown(this.neighbourAs, length);
    this.originAs = grown(this.originAs, length);
    this.aigpHigh = grown(this.aigpHigh, length);
    this.aigpLow = grown(this.aigpLow, length);
    this.colour = grown(this.colour, length);
    this.originatorId = grown(this.originatorId, length);
    this.clusterListLength = grown(this.clusterListLength, length);
    this.gateway = grown(this.gateway, length);
  }
}

/** RFC 4271 section 9.1.2.2 a: an AS_SET counts as one AS, no matter how many are in it. */
function asPathLength(path: readonly AsPathSegment[]): number {
  let length = 0;
  for (const segment of path) length += segment.kind === 'set' ? 1 : segment.asns.length;
  return length;
}

function flagsOf(attributes: PathAttributes, colour: number | undefined): number {
  const nextHop = attributes.nextHop;
  let flags = 0;
  if (attributes.communities?.includes(LLGR_STALE)) flags |= LONG_LIVED_STALE;
  if (attributes.communities?.includes(GSHUT)) flags |= GRACEFUL_SHUTDOWN;
  if (attributes.originatorId !== undefined) flags |= HAS_ORIGINATOR;
  if (attributes.aigp) flags |= HAS_AIGP;
  if (colour !== undefined) flags |= HAS_COLOUR;
  if (linkBandwidthOf(attributes) !== undefined) flags |= HAS_BANDWIDTH;
  if (nextHop?.linkLocal && isLinkLocal(nextHop.linkLocal)) flags |= LINK_LOCAL_NEXT_HOP;
  if (nextHop?.global && !isUnspecified(nextHop.global)) flags |= GLOBAL_NEXT_HOP;
  return flags;
}
