/**
 * Bytes to Neighbor Discovery values, with the validity rules of RFC 4861 that the message itself can show. The edge has
 * checked the hop limit and the checksum. A message that fails a rule is to be dropped silently (sections 6.1 and 7.1).
 */

import { type Address, isLinkLocal, isUnspecified } from '../../net/address.js';
import { counted } from '../../net/counted.js';
import { masked, type Prefix } from '../../net/prefix.js';
import { MESSAGE_TYPE, type NdMessage, type NdOption, OPTION_TYPE, type RouterPreference } from './nd-message.js';

export type NdDecodeResult =
  | { readonly kind: 'message'; readonly message: NdMessage }
  /** Some other ICMPv6 type. */
  | { readonly kind: 'other'; readonly type: number }
  | { readonly kind: 'error'; readonly reason: string };

/** Octets before the options. */
const FIXED_OCTETS: Readonly<Record<number, number>> = {
  [MESSAGE_TYPE.routerSolicitation]: 8,
  [MESSAGE_TYPE.routerAdvertisement]: 16,
  [MESSAGE_TYPE.neighborSolicitation]: 24,
  [MESSAGE_TYPE.neighborAdvertisement]: 24,
};

/** Decodes the ICMPv6 message `bytes` that came from `source`; byte fields of the result are copies. Never throws. */
export function decodeNdMessage(bytes: Uint8Array, source: Address): NdDecodeResult {
  const type = bytes[0];
  if (type === undefined) return invalid('the message is empty');
  const fixed = FIXED_OCTETS[type];
  if (fixed === undefined) return { kind: 'other', type };
  if (bytes.length < fixed)
    return invalid(`the message has ${counted(bytes.length, 'octet')}, at least ${fixed} are needed`);
  if (bytes[1] !== 0) return invalid(`code is ${bytes[1]}, not 0`);
  const options = decodeOptions(bytes.subarray(fixed));
  if (typeof options === 'string') return invalid(options);
  const message = decodeFixed(bytes, options);
  const reason = brokenRule(message, source);
  return reason === undefined ? { kind: 'message', message } : invalid(reason);
}

function invalid(reason: string): NdDecodeResult {
  return { kind: 'error', reason };
}

function decodeFixed(bytes: Uint8Array, options: readonly NdOption[]): NdMessage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (bytes[0]) {
    case MESSAGE_TYPE.routerSolicitation:
      return { kind: 'router-solicitation', options };
    case MESSAGE_TYPE.routerAdvertisement:
      return decodeRouterAdvertisement(view, options);
    case MESSAGE_TYPE.neighborSolicitation:
      return { kind: 'neighbor-solicitation', target: bytes.slice(8, 24), options };
    default:
      return {
        kind: 'neighbor-advertisement',
        router: (bytes[4]! & 0x80) !== 0,
        solicited: (bytes[4]! & 0x40) !== 0,
        override: (bytes[4]! & 0x20) !== 0,
        target: bytes.slice(8, 24),
        options,
      };
  }
}

function decodeRouterAdvertisement(view: DataView, options: readonly NdOption[]): NdMessage {
  const flags = view.getUint8(5);
  const routerLifetime = view.getUint16(6);
  return {
    kind: 'router-advertisement',
    hopLimit: view.getUint8(4),
    managed: (flags & 0x80) !== 0,
    otherConfiguration: (flags & 0x40) !== 0,
    // RFC 4191 section 2.2: the preference says nothing when the lifetime is 0.
    preference: routerLifetime === 0 ? 'medium' : decodePreference(flags),
    routerLifetime,
    reachableTime: view.getUint32(8),
    retransmitTimer: view.getUint32(12),
    options,
  };
}

/** RFC 4861 sections 6.1.1, 6.1.2, 7.1.1, 7.1.2. */
function brokenRule(message: NdMessage, source: Address): string | undefined {
  if (message.kind === 'router-advertisement') {
    return isLinkLocal(source) ? undefined : 'the source is no link-local address';
  }
  if ('target' in message && message.target[0] === 0xff) return 'the target is a multicast address';
  const solicitation = message.kind !== 'neighbor-advertisement';
  const named = message.options.some(({ kind }) => kind === 'source-link-layer-address');
  if (solicitation && named && isUnspecified(source)) {
    return 'a source link-layer address comes with the unspecified source address';
  }
  return undefined;
}

/** The options, or which rule they break (RFC 4861 section 4.6: a length of 0 makes the whole packet invalid). */
function decodeOptions(bytes: Uint8Array): NdOption[] | string {
  const options: NdOption[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = (bytes[at + 1] ?? 0) * 8;
    if (length === 0) return 'an option has length 0';
    if (at + length > bytes.length) return `option ${bytes[at]} is longer than the message`;
    options.push(decodeOption(bytes[at]!, bytes.slice(at + 2, at + length)));
    at += length;
  }
  return options;
}

/** `value` is what follows the option's type and length. */
function decodeOption(type: number, value: Uint8Array): NdOption {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  switch (type) {
    case OPTION_TYPE.sourceLinkLayerAddress:
      return { kind: 'source-link-layer-address', address: value };
    case OPTION_TYPE.targetLinkLayerAddress:
      return { kind: 'target-link-layer-address', address: value };
    case OPTION_TYPE.mtu:
      if (value.length === 6) return { kind: 'mtu', mtu: view.getUint32(2) };
      break;
    case OPTION_TYPE.prefixInformation:
      if (value.length === 30 && value[0]! <= 128) return decodePrefixInformation(value, view);
      break;
    case OPTION_TYPE.routeInformation:
      if (routeInformationFits(value)) return decodeRouteInformation(value, view);
      break;
  }
  return { kind: 'unknown', type, value };
}

function decodePrefixInformation(value: Uint8Array, view: DataView): NdOption {
  return {
    kind: 'prefix-information',
    prefix: prefixOf(value.subarray(14), value[0]!),
    onLink: (value[1]! & 0x80) !== 0,
    autonomous: (value[1]! & 0x40) !== 0,
    validLifetime: view.getUint32(2),
    preferredLifetime: view.getUint32(6),
  };
}

/** RFC 4191 section 2.3: 8, 16 or 24 octets in all, enough for the prefix length; preference 10 makes the option void. */
function routeInformationFits(value: Uint8Array): boolean {
  const length = value[0]!;
  const present = (value.length - 6) * 8;
  return length <= 128 && present <= 128 && length <= present && (value[1]! & 0x18) !== 0x10;
}

function decodeRouteInformation(value: Uint8Array, view: DataView): NdOption {
  return {
    kind: 'route-information',
    prefix: prefixOf(value.subarray(6), value[0]!),
    preference: decodePreference(value[1]!),
    lifetime: view.getUint32(2),
  };
}

/** A prefix of `length` bits from as many octets as were sent. */
function prefixOf(octets: Uint8Array, length: number): Prefix {
  const address = new Uint8Array(16);
  address.set(octets);
  return { address: masked(address, length), length };
}

/** RFC 4191 section 2.1; the reserved value counts as medium in an RA. */
function decodePreference(flags: number): RouterPreference {
  const bits = (flags >> 3) & 3;
  return bits === 1 ? 'high' : bits === 3 ? 'low' : 'medium';
}
