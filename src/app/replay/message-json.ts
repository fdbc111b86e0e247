/** One message as JSON: every key present, null where there is nothing to say, 64-bit values as decimal text. */
import { formatAddress } from '../../core/net/address.js';
import { formatMac } from '../../core/net/eui64.js';
import { formatIdentifier } from '../../core/net/identifier.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { BFD_DIAGNOSTICS, BFD_STATES, type BfdControlPacket } from '../../core/wire/bfd.js';
import { capabilityNames } from '../../core/wire/bgp/capabilities/capability-names.js';
import { formatAttributes } from '../../core/wire/bgp/format.js';
import type { OpenMessage } from '../../core/wire/bgp/message.js';
import { describeNotification } from '../../core/wire/bgp/notification.js';
import { hex } from '../../core/wire/bgp/octets.js';
import type { NdMessage, NdOption } from '../../core/wire/icmpv6/nd-message.js';
import type { DecodedMessage } from './bgp-dialogue.js';
import { messageKind } from './message-kind.js';
import type { ReplayContent, ReplayEvent } from './replay-event.js';
import type { RouteList, UpdateContents } from './update-contents.js';

export type JsonObject = Record<string, unknown>;

/** `files` are the names of the captures, in their order. */
export function messageJson(event: ReplayEvent, files: readonly string[]): JsonObject {
  return {
    file: files[event.capture] ?? null,
    frame: event.frame,
    time: event.time === undefined ? null : secondsText(event.time),
    source: formatAddress(event.source),
    destination: formatAddress(event.destination),
    kind: messageKind(event.content) ?? null,
    ...contentJson(event.content),
  };
}

/** Seconds since 1970 with nine digits behind the point. */
export function secondsText(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${sign}${magnitude / 1_000_000_000n}.${String(magnitude % 1_000_000_000n).padStart(9, '0')}`;
}

function contentJson(content: ReplayContent): JsonObject {
  switch (content.kind) {
    case 'bgp':
      return { connection: content.connection.id, length: content.bytes.length, ...bgpJson(content.message) };
    case 'nd':
      return { hopLimit: content.hopLimit, ...ndJson(content.message) };
    case 'bfd':
      return {
        hopLimit: content.hopLimit,
        ports: [content.sourcePort, content.destinationPort],
        ...bfdJson(content.packet),
      };
    case 'tcp':
      return {
        hopLimit: content.hopLimit,
        ports: [content.sourcePort, content.destinationPort],
        signed: content.signed ?? null,
      };
    case 'note':
      return { text: content.text };
    case 'closed':
      return { how: content.how };
    case 'state':
      return { from: content.from, to: content.to };
  }
}

function bgpJson(message: DecodedMessage): JsonObject {
  switch (message.kind) {
    case 'open':
      return openJson(message);
    case 'update':
      return updateJson(message);
    case 'keepalive':
      return {};
    case 'notification': {
      const { code, subcode, data } = message;
      return { code, subcode, data: hex(data), text: describeNotification(message) };
    }
    case 'route-refresh':
      return { afi: message.afi, safi: message.safi, subtype: message.subtype };
    case 'error':
      return { code: message.code, subcode: message.subcode, text: message.reason };
  }
}

function openJson(open: OpenMessage): JsonObject {
  const fqdn = open.capabilities.find((capability) => capability.kind === 'fqdn');
  return {
    version: open.version,
    as: open.asn,
    holdTime: open.holdTime,
    routerId: formatIdentifier(open.identifier),
    hostname: fqdn?.hostname ?? null,
    capabilities: open.capabilities.flatMap(capabilityNames),
  };
}

function updateJson({ withdrawn, announced, endOfRib, errors }: UpdateContents): JsonObject {
  return {
    withdrawn: withdrawn.map(routesJson),
    announced: announced.map((list) => ({
      ...routesJson(list),
      attributes: list.attributes ? formatAttributes(list.attributes) : null,
    })),
    endOfRib: endOfRib ?? null,
    errors: errors.map(({ action, attribute, reason }) => ({ action, attribute, reason })),
  };
}

function routesJson({ family, routes }: RouteList): JsonObject {
  return {
    family,
    routes: routes.map(({ prefix, pathId }) => ({ prefix: formatPrefix(prefix), pathId: pathId ?? null })),
  };
}

function ndJson(message: NdMessage): JsonObject {
  const options = message.options.map(optionJson);
  if (message.kind === 'router-solicitation') return { options };
  if (message.kind !== 'router-advertisement') return { target: formatAddress(message.target), options };
  const { hopLimit, managed, otherConfiguration, preference, routerLifetime, reachableTime, retransmitTimer } = message;
  return {
    advertisedHopLimit: hopLimit,
    managed,
    otherConfiguration,
    preference,
    routerLifetime,
    reachableTime,
    retransmitTimer,
    options,
  };
}

function optionJson(option: NdOption): JsonObject {
  switch (option.kind) {
    case 'source-link-layer-address':
    case 'target-link-layer-address':
      return { kind: option.kind, address: formatMac(option.address) };
    case 'prefix-information':
    case 'route-information':
      return { ...option, prefix: formatPrefix(option.prefix) };
    case 'mtu':
      return { ...option };
    case 'unknown':
      return { kind: option.kind, type: option.type, value: hex(option.value) };
  }
}

function bfdJson({ state, diagnostic, ...packet }: BfdControlPacket): JsonObject {
  const reason = BFD_DIAGNOSTICS[diagnostic] ?? `unknown ${diagnostic}`;
  return { state: BFD_STATES[state] ?? `unknown ${state}`, diagnostic: reason, ...packet };
}
