/**
 * Path attributes of a route as an immutable value (RFC 4271 section 5 and its extensions). The decoders in attributes/
 * produce it, policy makes changed copies, the encoders turn it back into bytes.
 */
import type { Address } from '../../net/address.js';
import type { AsNumber } from '../../net/as-number.js';
import type { NextHop } from './message.js';

export type Origin = 0 | 1 | 2;

export interface AsPathSegment {
  readonly kind: 'sequence' | 'set';
  readonly asns: readonly AsNumber[];
}

export interface Aggregator {
  readonly asn: AsNumber;
  readonly address: Address;
}

/** An extended community (RFC 4360): 8 octets, type first. */
export interface ExtendedCommunity {
  readonly type: number;
  readonly subtype: number;
  /** Six octets. */
  readonly value: Uint8Array;
}

export interface AigpTlv {
  readonly type: number;
  readonly value: Uint8Array;
}

/** RFC 7311: `metric` comes from the first TLV of type 1; the other TLVs are kept in order for pass-through. */
export interface Aigp {
  readonly metric: bigint;
  readonly otherTlvs: readonly AigpTlv[];
}

/** draft-ietf-idr-nhc: TLVs that hold for `nextHop` only, which is written as in MP_REACH_NLRI. */
export interface NextHopCharacteristics {
  readonly afi: number;
  readonly safi: number;
  readonly nextHop: Uint8Array;
  readonly tlvs: readonly { readonly code: number; readonly value: Uint8Array }[];
}

/** An attribute heddle does not interpret; flags without the low four bits. */
export interface RawAttribute {
  readonly flags: number;
  readonly type: number;
  readonly value: Uint8Array;
}

export interface PathAttributes {
  readonly origin: Origin;
  readonly asPath: readonly AsPathSegment[];
  readonly nextHop?: NextHop;
  readonly med?: number;
  readonly localPref?: number;
  readonly atomicAggregate?: boolean;
  readonly aggregator?: Aggregator;
  /** 32-bit values. */
  readonly communities?: readonly number[];
  /** RFC 4456: 32-bit BGP identifiers, of internal sessions only. */
  readonly originatorId?: number;
  readonly clusterList?: readonly number[];
  readonly extendedCommunities?: readonly ExtendedCommunity[];
  /** Triples of 32-bit values. */
  readonly largeCommunities?: readonly (readonly [number, number, number])[];
  readonly aigp?: Aigp;
  readonly nextHopCharacteristics?: NextHopCharacteristics;
  /** Of a route of our own, never on the wire: colours of the sessions that it is backed up on. */
  readonly backupColours?: readonly number[];
  /** Attributes to be passed on untouched (optional transitive, unknown to us). */
  readonly unknown?: readonly RawAttribute[];
}

/** RFC 7606 section 2, in rising order of severity. */
export const ERROR_ACTIONS = ['attribute-discard', 'treat-as-withdraw', 'afi-safi-disable', 'session-reset'] as const;
export type ErrorAction = (typeof ERROR_ACTIONS)[number];

export interface AttributeError {
  readonly action: ErrorAction;
  /** Attribute type code; 0 when the fault lies in the list itself. */
  readonly attribute: number;
  readonly reason: string;
  /** No mistake of the neighbour's: the attribute means nothing on this session, and is ignored whatever it holds. */
  readonly ignored?: true;
  /** UPDATE Message Error subcode for the NOTIFICATION when the action is a reset. */
  readonly subcode: number;
  /** What goes into that NOTIFICATION's data: the attribute as received, or the type code of the missing one. */
  readonly data?: Uint8Array;
}

/** Strongest action of a list; `undefined` for an empty one. */
export function strongestAction(errors: readonly AttributeError[]): ErrorAction | undefined {
  let strongest = -1;
  for (const error of errors) strongest = Math.max(strongest, ERROR_ACTIONS.indexOf(error.action));
  return ERROR_ACTIONS[strongest];
}
