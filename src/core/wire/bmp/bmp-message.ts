/**
 * BGP Monitoring Protocol version 3 (RFC 7854, Adj-RIB-Out RFC 8671, Loc-RIB RFC 9069): what a router tells a monitoring station. The station says
 * nothing, so there is nothing to decode.
 */
import type { Address } from '../../net/address.js';
import type { AsNumber } from '../../net/as-number.js';
import { concat, octets16, octets32, write32 } from '../bgp/octets.js';

const VERSION = 3;
const COMMON_HEADER_OCTETS = 6;
/** RFC 7854 section 4.1. */
const TYPE = { routeMonitoring: 0, statistics: 1, peerDown: 2, peerUp: 3, initiation: 4, termination: 5 } as const;

const PEER_TYPE = { global: 0, locRib: 3 } as const;
/** Section 4.2; a Loc-RIB has other flags (RFC 9069 section 4.2), of which we set none: nothing is filtered out. */
const FLAG = { ipv6: 0x80, postPolicy: 0x40, twoOctetAs: 0x20, adjRibOut: 0x10 } as const;

const INFORMATION = { sysDescr: 1, sysName: 2 } as const;
const TERMINATION_REASON = 1;
/** Administratively closed. */
const CLOSED = 0;

/** Section 4.8, RFC 9069 section 5.5 and RFC 8671 section 6.2: gauges of 64 bits. */
export const STATISTIC = { adjRibIn: 7, locRib: 8, adjRibOut: 15 } as const;

export interface BmpPeer {
  /** The Loc-RIB of the router stands beside its peers as one more. What comes in is told before policy, what goes out before or after it. */
  readonly kind: 'adj-rib-in' | 'adj-rib-out-pre-policy' | 'adj-rib-out' | 'loc-rib';
  /** Absent for the Loc-RIB. */
  readonly address?: Address;
  readonly asn: AsNumber;
  readonly identifier: number;
  /** AS_PATH in Route Monitoring has 4-octet numbers. */
  readonly fourOctetAs: boolean;
}

export interface PeerUp {
  readonly localAddress?: Address;
  readonly localPort: number;
  readonly remotePort: number;
  /** Both OPENs whole, as they were on the wire. */
  readonly sentOpen: Uint8Array;
  readonly receivedOpen: Uint8Array;
}

export type PeerDown =
  /** The NOTIFICATION whole, as it was on the wire. */
  | { readonly kind: 'local-notification' | 'remote-notification'; readonly notification: Uint8Array }
  /** RFC 4271 section 8.1: number of the event. */
  | { readonly kind: 'local-event'; readonly event: number }
  | { readonly kind: 'remote-closed' };

function message(type: number, parts: readonly Uint8Array[]): Uint8Array {
  const body = concat(parts);
  return concat([Uint8Array.of(VERSION), octets32(COMMON_HEADER_OCTETS + body.length), Uint8Array.of(type), body]);
}

function tlv(type: number, value: Uint8Array): Uint8Array {
  return concat([octets16(type), octets16(value.length), value]);
}

function text(type: number, value: string): Uint8Array {
  return tlv(type, new TextEncoder().encode(value));
}

/** `time`: microseconds since 1970. */
function peerHeader({ kind, address, asn, identifier, fourOctetAs }: BmpPeer, time: number): Uint8Array {
  const header = new Uint8Array(42);
  header[0] = kind === 'loc-rib' ? PEER_TYPE.locRib : PEER_TYPE.global;
  header[1] = (address?.length === 16 ? FLAG.ipv6 : 0) | (fourOctetAs ? 0 : FLAG.twoOctetAs) | directionFlags(kind);
  header.set(wide(address), 10);
  write32(header, 26, asn);
  write32(header, 30, identifier);
  write32(header, 34, Math.floor(time / 1_000_000));
  write32(header, 38, time % 1_000_000);
  return header;
}

/** RFC 8671 section 4. */
function directionFlags(kind: BmpPeer['kind']): number {
  if (kind === 'adj-rib-out') return FLAG.adjRibOut | FLAG.postPolicy;
  return kind === 'adj-rib-out-pre-policy' ? FLAG.adjRibOut : 0;
}

/** Section 4.2: an IPv4 address in the last four of sixteen octets. */
function wide(address: Address | undefined): Uint8Array {
  const octets = new Uint8Array(16);
  if (address) octets.set(address, 16 - address.length);
  return octets;
}

export function encodeInitiation(router: { readonly name: string; readonly description: string }): Uint8Array {
  return message(TYPE.initiation, [
    text(INFORMATION.sysDescr, router.description),
    text(INFORMATION.sysName, router.name),
  ]);
}

export function encodeTermination(): Uint8Array {
  return message(TYPE.termination, [tlv(TERMINATION_REASON, octets16(CLOSED))]);
}

/** Section 4.10. The one table there is has no name (RFC 9069 section 5.2.1). */
export function encodePeerUp(peer: BmpPeer, time: number, up: PeerUp): Uint8Array {
  const { localAddress, localPort, remotePort, sentOpen, receivedOpen } = up;
  return message(TYPE.peerUp, [
    peerHeader(peer, time),
    wide(localAddress),
    octets16(localPort),
    octets16(remotePort),
    sentOpen,
    receivedOpen,
  ]);
}

/** Section 4.9. */
export function encodePeerDown(peer: BmpPeer, time: number, down: PeerDown): Uint8Array {
  return message(TYPE.peerDown, [peerHeader(peer, time), ...downParts(down)]);
}

function downParts(down: PeerDown): Uint8Array[] {
  switch (down.kind) {
    case 'local-notification':
      return [Uint8Array.of(1), down.notification];
    case 'local-event':
      return [Uint8Array.of(2), octets16(down.event)];
    case 'remote-notification':
      return [Uint8Array.of(3), down.notification];
    case 'remote-closed':
      return [Uint8Array.of(4)];
  }
}

/** `update`: a whole UPDATE message. */
export function encodeRouteMonitoring(peer: BmpPeer, time: number, update: Uint8Array): Uint8Array {
  return message(TYPE.routeMonitoring, [peerHeader(peer, time), update]);
}

export function encodeStatistics(
  peer: BmpPeer,
  time: number,
  gauges: readonly { readonly type: number; readonly value: number }[],
): Uint8Array {
  const values = gauges.map(({ type, value }) => {
    const octets = concat([octets32(Math.floor(value / 2 ** 32)), octets32(value % 2 ** 32)]);
    return tlv(type, octets);
  });
  return message(TYPE.statistics, [peerHeader(peer, time), octets32(values.length), ...values]);
}
