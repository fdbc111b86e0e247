/**
 * What one row of the matrix is measured on: a peer between a heddle leaf and a heddle spine, each in a namespace of its own.
 *
 *     leaf ==== plain, signed, near, watched, limited, ended ==== peer ---- onward ----- spine
 *      `------------------------------- direct ----------------------------------'
 *
 * Routes flow over `plain`, `onward` and `direct`; the other links have a session each and carry none, so that one feature does
 * not disturb another. Addresses are known: they follow from the MAC addresses of the links' ends.
 */
export type Addressing = 'unnumbered' | 'numbered';

/** Between leaf and peer. */
export const LEAF_LINKS = ['plain', 'signed', 'near', 'watched', 'limited', 'ended'] as const;
/** All that the peer has. */
export const PEER_LINKS = [...LEAF_LINKS, 'onward'] as const;
export type PeerLink = (typeof PEER_LINKS)[number];
export type LinkName = PeerLink | 'direct';
const ALL_LINKS: readonly LinkName[] = [...PEER_LINKS, 'direct'];

export const LEAF_AS = 65101;
export const PEER_AS = 65001;
export const SPINE_AS = 65002;

export const PASSWORD = 'warp-and-weft';
/** Prefixes that the leaf takes on link `limited`. */
export const PREFIX_LIMIT = 5;

/** What the leaf originates. */
export const LEAF = {
  /** Colour 1. */
  coloured: 'fc00:1:1:1::/64',
  /** AIGP 7, no colour. */
  metric: 'fc00:1:1:2::/64',
  plain: 'fc00:1:1:3::/64',
  /** Taken away again. */
  going: 'fc00:1:1:4::/64',
  ipv4: '10.1.1.0/24',
} as const;
export const METRIC = 7;

/** What the peer originates. */
export const PEER = {
  plain: 'fc00:2:1:1::/64',
  /** Taken away again. */
  going: 'fc00:2:1:2::/64',
  /** Not originated any more after the peer's restart. */
  lost: 'fc00:2:1:3::/64',
  ipv4: '10.2.1.0/24',
} as const;

/** Prefixes with equal attributes that fill more than one message of 4096 octets. */
const BULK = 600;
export const LEAF_BULK = bulk('fc00:1:b');
export const PEER_BULK = bulk('fc00:2:b');

function bulk(head: string): readonly string[] {
  return Array.from({ length: BULK }, (_, index) => `${head}:${(index + 1).toString(16)}::/64`);
}

/** The ends of a link: heddle's is 1, the peer's (on `direct` the spine's) is 2. */
export type End = 1 | 2;

export function macAddress(link: LinkName, end: End): string {
  return `02:00:00:00:0${end}:${octet(link)}`;
}

export function linkLocal(link: LinkName, end: End): string {
  return `fe80::ff:fe00:${end}${octet(link)}`;
}

/** Of a numbered link, without its length of 64. */
export function globalAddress(link: LinkName, end: End): string {
  return `fd00:${number(link).toString(16)}::${end}`;
}

export function sessionAddress(addressing: Addressing, link: LinkName, end: End): string {
  return addressing === 'unnumbered' ? linkLocal(link, end) : globalAddress(link, end);
}

function number(link: LinkName): number {
  return ALL_LINKS.indexOf(link) + 1;
}

function octet(link: LinkName): string {
  return number(link).toString(16).padStart(2, '0');
}
