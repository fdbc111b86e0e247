/** Router Solicitations and Advertisements to bytes (RFC 4861 sections 4.1, 4.2, 4.6; RFC 4191). The checksum is left 0: the kernel fills it in. */
import {
  MESSAGE_TYPE,
  type NdOption,
  OPTION_TYPE,
  type PrefixInformation,
  type RouteInformation,
  type RouterAdvertisement,
  type RouterPreference,
  type RouterSolicitation,
} from './nd-message.js';

const PREFERENCE_BITS: Readonly<Record<RouterPreference, number>> = { high: 0x08, medium: 0, low: 0x18 };

export function encodeRouterSolicitation(message: RouterSolicitation): Uint8Array {
  return withOptions(Uint8Array.of(MESSAGE_TYPE.routerSolicitation, 0, 0, 0, 0, 0, 0, 0), message.options);
}

export function encodeRouterAdvertisement(message: RouterAdvertisement): Uint8Array {
  const fixed = new Uint8Array(16);
  const view = new DataView(fixed.buffer);
  fixed[0] = MESSAGE_TYPE.routerAdvertisement;
  fixed[4] = message.hopLimit;
  // RFC 4191 section 2.2: the preference of a router with lifetime 0 must be sent as 00.
  const preference = message.routerLifetime === 0 ? 0 : PREFERENCE_BITS[message.preference];
  fixed[5] = (message.managed ? 0x80 : 0) | (message.otherConfiguration ? 0x40 : 0) | preference;
  view.setUint16(6, message.routerLifetime);
  view.setUint32(8, message.reachableTime);
  view.setUint32(12, message.retransmitTimer);
  return withOptions(fixed, message.options);
}

function withOptions(fixed: Uint8Array, options: readonly NdOption[]): Uint8Array {
  const parts = [fixed, ...options.map(encodeOption)];
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function encodeOption(option: NdOption): Uint8Array {
  switch (option.kind) {
    case 'source-link-layer-address':
      return optionOf(OPTION_TYPE.sourceLinkLayerAddress, option.address);
    case 'target-link-layer-address':
      return optionOf(OPTION_TYPE.targetLinkLayerAddress, option.address);
    case 'mtu':
      return optionOf(
        OPTION_TYPE.mtu,
        octetsOf(6, (view) => view.setUint32(2, option.mtu)),
      );
    case 'prefix-information':
      return optionOf(OPTION_TYPE.prefixInformation, prefixInformation(option));
    case 'route-information':
      return optionOf(OPTION_TYPE.routeInformation, routeInformation(option));
    case 'unknown':
      return optionOf(option.type, option.value);
  }
}

function prefixInformation(option: PrefixInformation): Uint8Array {
  const value = octetsOf(30, (view) => {
    view.setUint8(0, option.prefix.length);
    view.setUint8(1, (option.onLink ? 0x80 : 0) | (option.autonomous ? 0x40 : 0));
    view.setUint32(2, option.validLifetime);
    view.setUint32(6, option.preferredLifetime);
  });
  value.set(option.prefix.address, 14);
  return value;
}

/** Sends no more of the prefix than its length needs, in units of 8 octets. */
function routeInformation(option: RouteInformation): Uint8Array {
  const octets = Math.ceil(option.prefix.length / 64) * 8;
  const value = octetsOf(6 + octets, (view) => {
    view.setUint8(0, option.prefix.length);
    view.setUint8(1, PREFERENCE_BITS[option.preference]);
    view.setUint32(2, option.lifetime);
  });
  value.set(option.prefix.address.subarray(0, octets), 6);
  return value;
}

function octetsOf(length: number, fill: (view: DataView) => void): Uint8Array {
  const octets = new Uint8Array(length);
  fill(new DataView(octets.buffer));
  return octets;
}

/** Type, length in units of 8 octets, value, padding. */
function optionOf(type: number, value: Uint8Array): Uint8Array {
  const units = Math.ceil((2 + value.length) / 8);
  const option = new Uint8Array(units * 8);
  option[0] = type;
  option[1] = units;
  option.set(value, 2);
  return option;
}
