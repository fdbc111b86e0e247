/**
 * Our reading of a capture in the shape of tshark's (the NAME.json files beside the captures): the same keys, numbers as the
 * strings tshark prints. Values come from our decoders; only the headers that decoders leave behind (attribute flags, lengths,
 * the order of attributes) are taken from the bytes.
 */

import type { ReplayEvent, TcpContent } from '../../src/app/replay/replay-event.js';
import type { AnnouncedRoutes, RouteList, UpdateContents } from '../../src/app/replay/update-contents.js';
import { formatAddress } from '../../src/core/net/address.js';
import { formatMac } from '../../src/core/net/eui64.js';
import { AFI } from '../../src/core/net/family.js';
import { formatPrefix } from '../../src/core/net/prefix.js';
import type { BfdControlPacket } from '../../src/core/wire/bfd.js';
import { encodeCapability } from '../../src/core/wire/bgp/capabilities/capability-table.js';
import type { Capability, NextHop, OpenMessage } from '../../src/core/wire/bgp/message.js';
import type { ExtendedCommunity, PathAttributes } from '../../src/core/wire/bgp/path-attributes.js';
import type { NdMessage, NdOption } from '../../src/core/wire/icmpv6/nd-message.js';

export type Shape = Record<string, unknown>;

/** One entry a message, as tshark lists them; `start` is the time of the capture's first frame. */
export function tsharkShape(events: readonly ReplayEvent[], start: bigint): Shape[] {
  // tshark's list names a frame by its highest layer: flags of a segment that completes BGP messages are not told.
  const withBgp = new Set(events.filter(({ content }) => content.kind === 'bgp').map(({ frame }) => frame));
  return events.flatMap((event) => {
    if (event.content.kind === 'tcp' && withBgp.has(event.frame)) return [];
    const content = contentShape(event);
    if (!content) return [];
    const microseconds = Number(((event.time ?? start) - start + 500n) / 1000n);
    const source = { src: formatAddress(event.source), dst: formatAddress(event.destination) };
    return [{ n: event.frame, t: microseconds / 1e6, ...source, ...content }];
  });
}

function contentShape({ content }: ReplayEvent): Shape | undefined {
  switch (content.kind) {
    case 'tcp':
      return tcpShape(content);
    case 'nd':
      return ndShape(content.message, content.hopLimit);
    case 'bfd':
      return {
        ...bfdShape(content.packet),
        ipHopLimit: content.hopLimit,
        udp: [content.sourcePort, content.destinationPort],
      };
    case 'bgp':
      return { length: content.bytes.length, ...bgpShape(content.message, content.bytes) };
    default:
      return undefined;
  }
}

const TCP_KIND = { syn: 'SYN', 'syn-ack': 'SYNACK', fin: 'FIN', rst: 'RST' } as const;

function tcpShape({ flag, sourcePort, destinationPort, hopLimit, signed }: TcpContent): Shape {
  const shape = { kind: TCP_KIND[flag], ports: [sourcePort, destinationPort], ipHopLimit: hopLimit };
  return signed === 'md5' ? { ...shape, md5: true } : shape;
}

function ndShape(message: NdMessage, ipHopLimit: number): Shape {
  switch (message.kind) {
    case 'router-solicitation':
      return { kind: 'RS' };
    case 'neighbor-solicitation':
      return { kind: 'NS', target: formatAddress(message.target) };
    case 'neighbor-advertisement':
      return { kind: 'NA', target: formatAddress(message.target) };
    case 'router-advertisement': {
      const preference = { high: 0x08, medium: 0, low: 0x18 }[message.preference];
      const flags = (message.managed ? 0x80 : 0) | (message.otherConfiguration ? 0x40 : 0) | preference;
      return {
        kind: 'RA',
        hopLimitField: message.hopLimit,
        flags: hex(flags, 2),
        lifetime: message.routerLifetime,
        reachable: message.reachableTime,
        retrans: message.retransmitTimer,
        ipHopLimit,
        options: message.options.map(optionShape),
      };
    }
  }
}

function optionShape(option: NdOption): Shape {
  switch (option.kind) {
    case 'source-link-layer-address':
      return { type: '1', length: '1', linkaddr: formatMac(option.address), src_linkaddr: formatMac(option.address) };
    case 'prefix-information':
      return {
        type: '3',
        length: '4',
        'prefix.length': `${option.prefix.length}`,
        'prefix.flag': hex((option.onLink ? 0x80 : 0) | (option.autonomous ? 0x40 : 0), 2),
        'prefix.valid_lifetime': `${option.validLifetime}`,
        'prefix.preferred_lifetime': `${option.preferredLifetime}`,
        reserved: '',
        prefix: formatAddress(option.prefix.address),
      };
    default:
      return { kind: option.kind };
  }
}

function bfdShape(packet: BfdControlPacket): Shape {
  const bits = [
    packet.poll,
    packet.final,
    packet.controlPlaneIndependent,
    packet.authenticationPresent,
    packet.demand,
    packet.multipoint,
  ];
  const flags = bits.reduce((sum, bit, index) => sum | (bit ? 0x20 >> index : 0), packet.state << 6);
  return {
    kind: 'BFD',
    version: packet.version,
    diag: packet.diagnostic,
    sta: packet.state,
    flags: hex(flags, 2),
    detect_time_multiplier: packet.detectMultiplier,
    my_discriminator: packet.myDiscriminator,
    your_discriminator: packet.yourDiscriminator,
    desired_min_tx_interval: packet.desiredMinTxInterval,
    required_min_rx_interval: packet.requiredMinRxInterval,
    required_min_echo_interval: packet.requiredMinEchoRxInterval,
  };
}

type BgpMessage = Extract<ReplayEvent['content'], { kind: 'bgp' }>['message'];

function bgpShape(message: BgpMessage, bytes: Uint8Array): Shape {
  switch (message.kind) {
    case 'open':
      return openShape(message);
    case 'keepalive':
      return { kind: 'KEEPALIVE' };
    case 'notification': {
      const data = message.data.length === 0 ? {} : { minor_data: colons(message.data) };
      return { kind: 'NOTIFICATION', code: message.code, subcode: message.subcode, ...data };
    }
    case 'route-refresh':
      return { kind: 'ROUTE-REFRESH', afi: message.afi, subtype: message.subtype, safi: message.safi };
    case 'update':
      return updateShape(message, bytes.subarray(19));
    case 'error':
      return { kind: 'ERROR', reason: message.reason };
  }
}

function openShape(open: OpenMessage): Shape {
  const id = [24, 16, 8, 0].map((shift) => (open.identifier >>> shift) & 255).join('.');
  return {
    kind: 'OPEN',
    version: open.version,
    myAs: open.asField,
    holdTime: open.holdTime,
    id,
    capabilities: open.capabilities.map(capabilityShape),
  };
}

function capabilityShape(capability: Capability): Shape {
  switch (capability.kind) {
    case 'multiprotocol':
      return {
        code: 1,
        length: 4,
        'mp.afi': `${capability.afi}`,
        reserved: '00',
        'mp.safi': `${capability.safi}`,
      };
    case 'route-refresh':
      return { code: 2, length: 0 };
    case 'extended-next-hop': {
      const { entries } = capability;
      return {
        code: 5,
        length: entries.length * 6,
        ...column('enh.afi', entries, ({ afi }) => `${afi}`),
        ...column('enh.safi', entries, ({ safi }) => `${safi}`),
        ...column('enh.nhafi', entries, ({ nextHopAfi }) => `${nextHopAfi}`),
      };
    }
    case 'extended-message':
      return { code: 6, length: 0 };
    case 'graceful-restart':
      return gracefulRestartShape(capability);
    case 'four-octet-as':
      return { code: 65, length: 4, '4as': `${capability.asn}` };
    case 'add-path': {
      const { families } = capability;
      return {
        code: 69,
        length: families.length * 4,
        ...column('ap.afi', families, ({ afi }) => `${afi}`),
        ...column('ap.safi', families, ({ safi }) => `${safi}`),
        ...column('ap.sendreceive', families, ({ mode }) => `${mode}`),
      };
    }
    case 'enhanced-route-refresh':
      return { code: 70, length: 0 };
    case 'fqdn': {
      const { hostname, domain } = capability;
      return {
        code: 73,
        length: 2 + hostname.length + domain.length,
        'orf.fqdn.hostname.len': `${hostname.length}`,
        'orf.fqdn.hostname': hostname,
        'orf.fqdn.domain_name.len': `${domain.length}`,
        'orf.fqdn.domain_name': domain,
      };
    }
    case 'strict-bfd':
      return { code: 74, length: 0 };
    case 'link-local-next-hop':
      return { code: 77, length: 0 };
    case 'long-lived-graceful-restart':
      // tshark does not look into it.
      return unknownCapabilityShape(71, encodeCapability(capability).subarray(2));
    case 'unknown':
      return unknownCapabilityShape(capability.code, capability.value);
  }
}

function gracefulRestartShape(capability: Extract<Capability, { kind: 'graceful-restart' }>): Shape {
  const { restarted, notification, restartTime, families } = capability;
  const timers = (restarted ? 0x8000 : 0) | (notification ? 0x4000 : 0) | restartTime;
  const flags = families.map(({ forwardingPreserved }) => (forwardingPreserved ? 0x80 : 0));
  return {
    code: 64,
    length: 2 + families.length * 4,
    ...(families.length === 0 && { 'gr.helper_mode_only': '' }),
    'gr.timers': hex(timers, 4),
    'gr.timers.restart_flag': restarted ? '1' : '0',
    'gr.timers.notification_flag': notification ? '1' : '0',
    'gr.timers.restart_time': `${restartTime}`,
    ...column('gr.afi', families, ({ afi }) => `${afi}`),
    ...column('gr.safi', families, ({ safi }) => `${safi}`),
    ...column('gr.flag', flags, (flag) => hex(flag, 2)),
    ...column('gr.flag.pfs', flags, (flag) => `${flag >> 7}`),
  };
}

function unknownCapabilityShape(code: number, value: Uint8Array): Shape {
  const head = { code, length: value.length };
  if (value.length === 0) return head;
  if (code !== 75) return { ...head, unknown: colons(value) };
  const text = String.fromCharCode(...value.subarray(1));
  return { ...head, 'software_version.len': `${value[0]}`, software_version: text };
}

/** A field that repeats is a list, one that does not is a string, one that is absent has no key. */
function column<T>(key: string, items: readonly T[], text: (item: T) => string): Shape {
  if (items.length === 0) return {};
  return { [key]: items.length === 1 ? text(items[0]!) : items.map(text) };
}

interface AttributeHeader {
  readonly flags: number;
  readonly type: number;
  readonly value: Uint8Array;
}

function updateShape(update: UpdateContents, body: Uint8Array): Shape {
  const withdrawn = routesOf(update.withdrawn, 'classic');
  const attributes = attributeHeaders(body).map((header) => attributeShape(header, update));
  const nlri = routesOf(update.announced, 'classic');
  const nothing = withdrawn.length + attributes.length + nlri.length === 0;
  return {
    kind: 'UPDATE',
    ...(withdrawn.length > 0 && { withdrawn }),
    ...(attributes.length > 0 && { attributes }),
    ...(nlri.length > 0 && { nlri }),
    ...(nothing && { endOfRib: update.endOfRib !== undefined }),
    ...(update.errors.length > 0 && { errors: update.errors }),
  };
}

function routesOf(lists: readonly RouteList[], field: 'classic' | 'mp'): unknown[] {
  return lists
    .filter((list) => list.field === field)
    .flatMap(({ routes }) => routes)
    .map(({ prefix, pathId }) =>
      pathId === undefined ? formatPrefix(prefix) : { prefix: formatPrefix(prefix), pathId },
    );
}

function attributeHeaders(body: Uint8Array): AttributeHeader[] {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let at = 2 + view.getUint16(0);
  const end = at + 2 + view.getUint16(at);
  at += 2;
  const headers: AttributeHeader[] = [];
  while (at < end) {
    const flags = body[at]!;
    const extended = (flags & 0x10) !== 0;
    const length = extended ? view.getUint16(at + 2) : body[at + 2]!;
    const start = at + (extended ? 4 : 3);
    headers.push({ flags, type: body[at + 1]!, value: body.subarray(start, start + length) });
    at = start + length;
  }
  return headers;
}

function attributeShape({ flags, type, value }: AttributeHeader, update: UpdateContents): Shape {
  const head = { type, flags: hex(flags, 2), length: value.length };
  if (type === 14) return { ...head, ...reachShape(update, value) };
  if (type === 15) {
    const nlri = routesOf(update.withdrawn, 'mp');
    const family = update.endOfRib ?? update.withdrawn.find(({ field }) => field === 'mp')?.family;
    const routes = nlri.length > 0 ? { nlri } : { endOfRib: update.endOfRib !== undefined };
    return { ...head, name: 'MP_UNREACH_NLRI', afi: family && AFI[family], safi: 1, ...routes };
  }
  const attributes = update.announced[0]?.attributes;
  return { ...head, ...(attributes && valueShape(type, attributes)) };
}

function reachShape(update: UpdateContents, value: Uint8Array): Shape {
  const list = update.announced.find(({ field }) => field === 'mp');
  const octets = value.subarray(4, 4 + value[3]!);
  return {
    name: 'MP_REACH_NLRI',
    afi: list && AFI[list.family],
    safi: 1,
    nextHopHex: [plainHex(value.subarray(3, 4 + value[3]!))],
    ...nextHopShape(list, octets),
    nlri: routesOf(update.announced, 'mp'),
  };
}

/** tshark prints the two halves of 32 octets as they stand; ours tells link-local from global, whatever the half. */
function nextHopShape(list: AnnouncedRoutes | undefined, octets: Uint8Array): Shape {
  const nextHop: NextHop = list?.attributes?.nextHop ?? {};
  const linkLocal = nextHop.linkLocal && formatAddress(nextHop.linkLocal);
  const global = nextHop.global && formatAddress(nextHop.global);
  if (octets.length !== 32) return { nextHop: [global ?? linkLocal] };
  const firstHalf = octets.subarray(0, 16).every((octet) => octet === 0) ? '::' : linkLocal;
  return { nextHop: [global ?? firstHalf], linkLocal: [linkLocal] };
}

function valueShape(type: number, attributes: PathAttributes): Shape {
  switch (type) {
    case 1:
      return { name: 'ORIGIN', value: attributes.origin };
    case 2: {
      const segments = attributes.asPath.map(({ kind, asns }) => ({ type: kind === 'set' ? 1 : 2, as: asns }));
      return segments.length > 0 ? { name: 'AS_PATH', segments } : { name: 'AS_PATH' };
    }
    case 3:
      return { name: 'NEXT_HOP', value: attributes.nextHop?.global && formatAddress(attributes.nextHop.global) };
    case 4:
      return { name: 'MED', value: attributes.med };
    case 5:
      return { name: 'LOCAL_PREF', value: attributes.localPref };
    case 8:
      return { name: 'COMMUNITIES', value: attributes.communities?.map((c) => `${c >>> 16}:${c & 0xffff}`) };
    case 16:
      return { name: 'EXT_COMMUNITIES', value: attributes.extendedCommunities?.map(extendedCommunityShape) };
    case 26: {
      const { aigp } = attributes;
      const tlv = [1, ...(aigp?.otherTlvs.map((other) => other.type) ?? [])];
      return { name: 'AIGP', metric: [Number(aigp?.metric)], tlv };
    }
    case 32:
      return { name: 'LARGE_COMMUNITY', value: attributes.largeCommunities?.map((triple) => triple.join(':')) };
    default:
      return {};
  }
}

function extendedCommunityShape({ type, subtype, value }: ExtendedCommunity): Shape {
  return { type: hex(type, 2), stype_tr_opaque: hex(subtype, 2), value_raw: `0x0000${plainHex(value)}` };
}

function hex(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

function plainHex(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => octet.toString(16).padStart(2, '0')).join('');
}

function colons(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => octet.toString(16).padStart(2, '0')).join(':');
}
