/**
 * Every decoder of the product that is fed with octets from outside, beside UPDATE: what it is started from, and how it is called.
 * A `read` returns a number that tells kinds of results apart, and throws when something does not hold.
 */
import { replayFiles } from '../app/replay/replay-files.js';
import { decodeBfdControlPacket, encodeBfdControlPacket } from '../core/wire/bfd.js';
import {
  CAPABILITY_CODECS,
  decodeCapability,
  encodeCapability,
} from '../core/wire/bgp/capabilities/capability-table.js';
import { MessageFramer } from '../core/wire/bgp/framer.js';
import { HEADER_OCTETS, MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import { decodeNotification, describeNotification, encodeNotification } from '../core/wire/bgp/notification.js';
import { hex } from '../core/wire/bgp/octets.js';
import { decodeOpen, encodeOpen } from '../core/wire/bgp/open.js';
import { decodeRouteRefresh, encodeRouteRefresh } from '../core/wire/bgp/route-refresh.js';
import { decodeNdMessage } from '../core/wire/icmpv6/decode-nd-message.js';
import { encodeRouterAdvertisement, encodeRouterSolicitation } from '../core/wire/icmpv6/encode-nd-message.js';
import { isMrt, readMrt } from '../core/wire/mrt/read-mrt.js';
import { decodeIpPacket, PROTOCOL } from '../core/wire/packet/ip-packet.js';
import { decodeLinkFrame } from '../core/wire/packet/link-frame.js';
import { decodeTcpSegment } from '../core/wire/packet/tcp-segment.js';
import { decodeUdpDatagram } from '../core/wire/packet/udp-datagram.js';
import { readCapture } from '../core/wire/pcap/read-capture.js';
import { InvariantCrc } from '../core/wire/rocev2/invariant-crc.js';
import { OPERATIONS } from '../core/wire/rocev2/opcode.js';
import { decodeRoce, encodeRoce, ROCE_DEFAULTS } from '../core/wire/rocev2/roce-packet.js';
import { TcpReassembler } from '../core/wire/tcp-reassembly.js';
import { parseAnyRoute, parseNextHop, parseRoute } from '../edge/linux/fib-messages.js';
import { parseAddressMessage, parseLink } from '../edge/linux/link-messages.js';
import { parseError, parseMessages } from '../edge/linux/rtnetlink/message.js';
import type { CapturedSeeds } from './corpus.js';

export interface Decoder {
  readonly name: string;
  readonly seeds: (captured: CapturedSeeds) => readonly Uint8Array[];
  readonly read: (octets: Uint8Array) => number;
  /** Whole files are slow to read: one in so many of the inputs of the others. */
  readonly seldom?: number;
}

const LINK_LOCAL = Uint8Array.of(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
const body = (message: Uint8Array): Uint8Array => message.subarray(HEADER_OCTETS);

/** What was read, written and read again must be what was read. */
function same(what: string, first: unknown, second: unknown): void {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));
  if (text(first) !== text(second))
    throw new Error(`${what} does not survive being written: ${text(first)} -> ${text(second)}`);
}

function readOpen(octets: Uint8Array): number {
  const open = decodeOpen(octets);
  if (open.kind === 'error') return 100 + open.subcode;
  const written = encodeOpen(open);
  if (written.length <= 4096) same('OPEN', open, decodeOpen(body(written)));
  return new Set(open.capabilities.map(({ kind }) => kind)).size;
}

function readNotification(octets: Uint8Array): number {
  const notification = decodeNotification(octets);
  if (notification.kind === 'error') return 1000;
  const text = describeNotification(notification);
  if (/\p{Cc}/u.test(text)) throw new Error('a control character would reach the terminal');
  same('NOTIFICATION', notification, decodeNotification(body(encodeNotification(notification))));
  return Math.min(notification.code, 9) * 16 + Math.min(notification.subcode, 15);
}

function readRefresh(octets: Uint8Array): number {
  for (const enhanced of [true, false]) {
    const refresh = decodeRouteRefresh(octets, enhanced);
    if (refresh?.kind !== 'route-refresh') continue;
    same('ROUTE-REFRESH', refresh, decodeRouteRefresh(body(encodeRouteRefresh(refresh)), enhanced));
    return refresh.subtype;
  }
  return 9;
}

/** The first octet picks the capability. */
function readCapability(octets: Uint8Array): number {
  const code = octets[0] ?? 0;
  const capability = decodeCapability(code, octets.subarray(1));
  const written = encodeCapability(capability);
  same('capability', capability, decodeCapability(written[0]!, written.subarray(2)));
  return code * 2 + (capability.kind === 'unknown' ? 1 : 0);
}

/** In one piece and in pieces, the framer finds the same. */
function readStream(octets: Uint8Array): number {
  const found = (size: number): string => {
    const framer = new MessageFramer();
    const messages: string[] = [];
    let last: unknown;
    for (let at = 0; at < octets.length; at += size)
      last = framer.push(octets.subarray(at, at + size), (type, message) => messages.push(`${type} ${hex(message)}`));
    return `${messages.join()} ${JSON.stringify(last)}`;
  };
  const whole = found(Math.max(1, octets.length));
  for (const size of [1, 1 + (octets.length % 29)])
    if (found(size) !== whole) throw new Error(`pieces of ${size} octets change the messages`);
  return whole.split(',').length;
}

function readBfd(octets: Uint8Array): number {
  const packet = decodeBfdControlPacket(octets);
  if (!packet) return 99;
  // The authentication section is nobody's here: it is read over and never written.
  if (!packet.authenticationPresent) same('BFD', packet, decodeBfdControlPacket(encodeBfdControlPacket(packet)));
  return octets.length > 24 ? 1 : 0;
}

const ROCE_CRC = new InvariantCrc({ source: LINK_LOCAL, destination: LINK_LOCAL, sourcePort: 0xc000 });

function readRoce(octets: Uint8Array): number {
  const decoded = decodeRoce(octets);
  if (decoded.kind === 'malformed') return 300 + decoded.field.length;
  const written = decodeRoce(encodeRoce(decoded.packet, ROCE_CRC));
  same('RoCEv2', decoded.packet, written.kind === 'packet' && written.packet);
  return decoded.packet.opcode;
}

function roceSeeds(): Uint8Array[] {
  const reth = { address: 0x10000n, rKey: 5, length: 9 };
  const fields = { ...ROCE_DEFAULTS, destinationQp: 17, psn: 1, reth, aeth: { syndrome: 31, messageSequence: 1 } };
  return [...OPERATIONS.keys()].map((opcode) =>
    encodeRoce({ ...fields, opcode, payload: Uint8Array.of(1, 2, 3, 4, 5, 6) }, ROCE_CRC),
  );
}

function readNd(octets: Uint8Array): number {
  const result = decodeNdMessage(octets, LINK_LOCAL);
  if (result.kind !== 'message') return result.kind === 'other' ? 200 : 201;
  const { message } = result;
  if (message.kind === 'router-advertisement') encodeRouterAdvertisement(message);
  if (message.kind === 'router-solicitation') encodeRouterSolicitation(message);
  return message.options.reduce((mix, { kind }) => Math.imul(mix ^ kind.length, 31), message.kind.length);
}

/** The first octet picks the kind of link. */
function readPacket(octets: Uint8Array): number {
  const linkType = [1, 101, 113, 276, 0, 228, 229][(octets[0] ?? 0) % 7]!;
  const frame = decodeLinkFrame(linkType, octets.subarray(1));
  const ip = frame && decodeIpPacket(frame);
  if (!ip) return frame ? 1 : 0;
  const segment = ip.protocol === PROTOCOL.tcp && decodeTcpSegment(ip);
  const datagram = ip.protocol === PROTOCOL.udp && decodeUdpDatagram(ip);
  return 2 + linkType * 8 + (segment ? 1 : 0) + (datagram ? 2 : 0);
}

/** Segments of 8 octets of description and some of payload. */
function readSegments(octets: Uint8Array): number {
  const reassembler = new TcpReassembler<number>();
  let delivered = 0;
  let events = 0;
  const ends = [LINK_LOCAL, Uint8Array.of(10, 0, 0, 1)];
  for (let at = 0; at + 8 <= octets.length; ) {
    const flags = octets[at]!;
    const payload = octets.subarray(at + 8, at + 8 + (octets[at + 1]! & 31));
    const from = flags & 1;
    const segment = {
      sourcePort: from ? 179 : 50000,
      destinationPort: from ? 50000 : 179,
      sequence: ((octets[at + 2]! << 24) | (octets[at + 3]! << 8) | octets[at + 4]!) >>> 0,
      acknowledgment: ((octets[at + 5]! << 24) | (octets[at + 6]! << 8) | octets[at + 7]!) >>> 0,
      syn: (flags & 2) !== 0,
      ack: (flags & 4) !== 0,
      fin: (flags & 8) !== 0,
      rst: (flags & 48) === 48,
      payload,
      payloadLength: payload.length,
      signed: undefined,
    };
    const captured = { origin: at, source: ends[from]!, destination: ends[1 - from]!, link: '', segment };
    for (const event of reassembler.push(captured)) {
      events++;
      if (event.kind === 'data') delivered += event.bytes.length;
    }
    at += 8 + payload.length;
  }
  for (const event of reassembler.flush()) if (event.kind === 'data') delivered += event.bytes.length;
  if (delivered > octets.length) throw new Error(`${delivered} octets delivered of ${octets.length}`);
  return Math.min(events, 32);
}

function readCaptureFile(octets: Uint8Array): number {
  const capture = readCapture(octets);
  if (capture.format === 'none') return 0;
  const events = replayFiles([capture], { port: 179 });
  return 1 + Math.min(events.length, 16) + (capture.problems.length > 0 ? 32 : 0);
}

function readMrtFile(octets: Uint8Array): number {
  const file = readMrt(octets);
  const events = replayFiles([file], { port: 179 });
  return Math.min(events.length, 16) + (isMrt(octets) ? 32 : 0);
}

function readNetlink(octets: Uint8Array): number {
  let mix = 0;
  for (const message of parseMessages(octets)) {
    const results = [
      parseError(message),
      parseLink(message),
      parseAddressMessage(message),
      parseNextHop(message.payload),
      parseRoute(message.payload),
      parseAnyRoute(message.payload),
    ];
    results.forEach((result, index) => {
      if (result) mix |= 1 << index;
    });
  }
  return mix;
}

function netlinkSeeds(): Uint8Array[] {
  const message = (type: number, payload: readonly number[]) =>
    Uint8Array.of(16 + payload.length, 0, 0, 0, type, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, ...payload);
  const attribute = (type: number, ...value: number[]) => [4 + value.length, 0, type, 0, ...value];
  return [
    message(16, [
      0,
      0,
      1,
      0,
      2,
      0,
      0,
      0,
      0x43,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      ...attribute(3, 101, 116, 104, 0),
      ...attribute(4, 220, 5, 0, 0),
    ]),
    message(20, [10, 64, 0, 0, 2, 0, 0, 0, ...attribute(1, ...LINK_LOCAL), ...attribute(8, 0x80, 0, 0, 0)]),
    message(24, [
      10,
      64,
      0,
      0,
      254,
      179,
      0,
      1,
      0,
      0,
      0,
      0,
      ...attribute(1, ...LINK_LOCAL),
      ...attribute(6, 20, 0, 0, 0),
      ...attribute(30, 1, 0, 0, 0x48),
    ]),
    message(24, [
      2,
      24,
      0,
      0,
      254,
      179,
      0,
      1,
      0,
      0,
      0,
      0,
      ...attribute(1, 10, 0, 0, 0),
      ...attribute(30, 1, 0, 0, 0x48),
    ]),
    message(104, [
      10,
      0,
      179,
      0,
      0,
      0,
      0,
      0,
      ...attribute(1, 1, 0, 0, 0x48),
      ...attribute(5, 2, 0, 0, 0),
      ...attribute(6, ...LINK_LOCAL),
    ]),
    message(104, [
      0,
      0,
      179,
      0,
      0,
      0,
      0,
      0,
      ...attribute(1, 2, 0, 0, 0x48),
      ...attribute(2, 1, 0, 0, 0x48, 0, 0, 0, 0),
    ]),
    message(2, [
      0xef,
      0xff,
      0xff,
      0xff,
      20,
      0,
      0,
      0,
      24,
      0,
      5,
      6,
      1,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      ...attribute(1, 110, 111, 0, 0),
    ]),
  ];
}

const messageBodies = (type: number) => (captured: CapturedSeeds) => captured.messages(type).map(body);
/** Packets of the captures that carry this protocol, from its header on. */
const payloads =
  (protocol: number, skipped: number) =>
  ({ packets }: CapturedSeeds): Uint8Array[] =>
    packets.flatMap(({ linkType, data }) => {
      const frame = decodeLinkFrame(linkType, data);
      const ip = frame && decodeIpPacket(frame);
      return ip?.protocol === protocol ? [ip.payload.slice(skipped)] : [];
    });

export const DECODERS: readonly Decoder[] = [
  { name: 'open', seeds: messageBodies(MESSAGE_TYPE.open), read: readOpen },
  { name: 'notification', seeds: messageBodies(MESSAGE_TYPE.notification), read: readNotification },
  { name: 'route-refresh', seeds: messageBodies(MESSAGE_TYPE.routeRefresh), read: readRefresh },
  {
    name: 'capability',
    seeds: () => [
      ...CAPABILITY_CODECS.map(({ code }) => Uint8Array.of(code, 0, 2, 0, 1, 0, 2)),
      Uint8Array.of(75, 3, 97, 98, 99),
    ],
    read: readCapability,
  },
  {
    name: 'stream',
    seeds: ({ messages }) => [1, 2, 3, 4, 5].flatMap((type) => messages(type).slice(0, 20)),
    read: readStream,
  },
  { name: 'bfd', seeds: payloads(PROTOCOL.udp, 8), read: readBfd },
  { name: 'rocev2', seeds: roceSeeds, read: readRoce },
  { name: 'neighbour-discovery', seeds: payloads(PROTOCOL.icmpv6, 0), read: readNd },
  {
    name: 'packet',
    seeds: ({ packets }) =>
      packets
        .slice(0, 400)
        .map(({ linkType, data }) => Uint8Array.of(linkType === 276 ? 3 : linkType === 113 ? 2 : 0, ...data)),
    read: readPacket,
  },
  {
    name: 'tcp-reassembly',
    seeds: () => [new Uint8Array(64), Uint8Array.from({ length: 160 }, (_, at) => at)],
    read: readSegments,
  },
  { name: 'netlink', seeds: netlinkSeeds, read: readNetlink },
  {
    name: 'capture',
    seeds: ({ files }) => files.map((file) => file.slice(0, 4000)),
    read: readCaptureFile,
    seldom: 50,
  },
  { name: 'mrt', seeds: ({ mrt }) => mrt.map((file) => file.slice(0, 2000)), read: readMrtFile, seldom: 10 },
];
