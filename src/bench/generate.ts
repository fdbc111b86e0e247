/** UPDATE bodies for the benchmarks, written by code of their own so that they do not measure our encoder. */

export interface Load {
  /** Distinct IPv6 /64 prefixes, each announced once. */
  readonly prefixes: number;
  readonly prefixesPerUpdate: number;
  /** Last octet of the sender's link-local address. */
  readonly sender: number;
  /** Distinct sets of attributes, in turn. */
  readonly attributeSets: number;
}

/** Bodies (no message header) end to end, as a socket delivers them; body i is [ends[i - 1], ends[i]). */
export interface Feed {
  readonly octets: Uint8Array;
  readonly ends: Uint32Array;
}

const BODY_OCTETS_BESIDES_PREFIXES = 4 + 4 + 21 + 4 + 13 + 11 + 14;
const PREFIX_OCTETS = 9;

/** UPDATEs as a spine sends them: MP_REACH_NLRI first, a colour, AIGP. */
export function generateFeed(load: Load): Feed {
  const updates = Math.ceil(load.prefixes / load.prefixesPerUpdate);
  const octets = new Uint8Array(updates * BODY_OCTETS_BESIDES_PREFIXES + load.prefixes * PREFIX_OCTETS);
  const ends = new Uint32Array(updates);
  let at = 0;
  for (let i = 0; i < updates; i++) {
    const first = i * load.prefixesPerUpdate;
    const count = Math.min(load.prefixesPerUpdate, load.prefixes - first);
    at = writeBody(octets, at, { sender: load.sender, set: i % load.attributeSets, first, count });
    ends[i] = at;
  }
  return { octets: octets.subarray(0, at), ends };
}

interface Body {
  readonly sender: number;
  readonly set: number;
  readonly first: number;
  readonly count: number;
}

function writeBody(octets: Uint8Array, start: number, body: Body): number {
  const { sender, set, first, count } = body;
  const reach = 21 + count * PREFIX_OCTETS;
  octets.set([0, 0, 0, 0, 0x90, 14, reach >> 8, reach & 0xff, 0, 2, 1, 16, ...linkLocal(sender), 0], start);
  let at = start + 29;
  for (let i = first; i < first + count; i++, at += PREFIX_OCTETS) {
    octets[at] = 64;
    octets[at + 1] = 0xfd;
    octets[at + 3] = i >> 24;
    octets[at + 4] = i >> 16;
    octets[at + 6] = 1;
    octets[at + 7] = i >> 8;
    octets[at + 8] = i;
  }
  const attributes = pathAttributes(sender, set);
  octets.set(attributes, at);
  at += attributes.length;
  octets[start + 2] = (at - start - 4) >> 8;
  octets[start + 3] = at - start - 4;
  return at;
}

function pathAttributes(sender: number, set: number): number[] {
  return [
    ...[0x40, 1, 1, 0],
    ...[0x40, 2, 10, 2, 2, ...u32(65000 + sender), ...u32(66000 + set)],
    ...[0xc0, 16, 8, 0x03, 0x0b, 0, 0, ...u32(1 + (set % 4))],
    ...[0x80, 26, 11, 1, 0, 11, 0, 0, 0, 0, ...u32(1)],
  ];
}

export function linkLocal(sender: number): number[] {
  return [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, sender];
}

function u32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}
