/**
 * Netlink messages (struct nlmsghdr: length 4, type 2, flags 2, sequence 4, port 4) and the answers of the kernel:
 * NLMSG_ERROR with errno and, where the socket asked for it, the extended acknowledgement's text.
 */
import { getSystemErrorMap } from 'node:util';
import { align4, LITTLE_ENDIAN, parseAttributes, textOf, viewOf } from './attributes.js';

export const HEADER = 16;

export const MESSAGE = {
  error: 2,
  done: 3,
  newLink: 16,
  deleteLink: 17,
  getLink: 18,
  newAddress: 20,
  deleteAddress: 21,
  getAddress: 22,
  newRoute: 24,
  deleteRoute: 25,
  getRoute: 26,
  newNeighbour: 28,
  deleteNeighbour: 29,
  getNeighbour: 30,
  newQdisc: 36,
  deleteQdisc: 37,
  getQdisc: 38,
  newFilter: 44,
  deleteFilter: 45,
  getFilter: 46,
  getStatistics: 94,
  newNextHop: 104,
  deleteNextHop: 105,
  getNextHop: 106,
  getBucket: 118,
} as const;

export const FLAG = {
  request: 0x1,
  ack: 0x4,
  dumpInterrupted: 0x10,
  /** For RTM_NEW*. */
  replace: 0x100,
  exclusive: 0x200,
  create: 0x400,
  append: 0x800,
  /** For RTM_GET*: the whole table. */
  dump: 0x300,
  /** In NLMSG_ERROR. */
  capped: 0x100,
  ackAttributes: 0x200,
} as const;

/** Numbers of multicast groups (enum rtnetlink_groups). */
export const GROUP = {
  link: 1,
  neighbour: 3,
  ipv4Address: 5,
  ipv4Route: 7,
  ipv6Address: 9,
  ipv6Route: 11,
  nextHop: 32,
} as const;

/** One message to send; `flags` without NLM_F_REQUEST and NLM_F_ACK, which the socket adds. */
export interface NetlinkRequest {
  readonly type: number;
  readonly flags: number;
  readonly payload: Payload;
}

/**
 * The family's header and the attributes: octets, see PayloadWriter, or what writes them into a datagram that is all zero, where there are
 * so many of them that an array each is dear.
 */
export type Payload = Uint8Array | WrittenPayload;

export interface WrittenPayload {
  /** In octets. */
  readonly length: number;
  write(target: Uint8Array, at: number): void;
}

export interface NetlinkMessage {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  readonly payload: Uint8Array;
}

/** What the kernel answered to a request that failed. */
export interface NetlinkError {
  /** Symbolic errno such as `EEXIST`. */
  readonly code: string;
  /** The kernel's own text where it gives one, else the errno's. */
  readonly message: string;
}

/** A datagram of one or more messages. */
export class DatagramWriter {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  /** For requests that take this many octets together, see `octetsOf`. */
  constructor(octets: number) {
    this.bytes = Buffer.alloc(octets);
    this.view = viewOf(this.bytes);
  }

  /** `moreFlags` come on top of the request's own. */
  append({ type, flags, payload }: NetlinkRequest, sequence: number, moreFlags = 0): void {
    const { view, at } = this;
    view.setUint32(at, HEADER + payload.length, LITTLE_ENDIAN);
    view.setUint16(at + 4, type, LITTLE_ENDIAN);
    view.setUint16(at + 6, flags | moreFlags | FLAG.request, LITTLE_ENDIAN);
    view.setUint32(at + 8, sequence, LITTLE_ENDIAN);
    if (payload instanceof Uint8Array) this.bytes.set(payload, at + HEADER);
    else payload.write(this.bytes, at + HEADER);
    this.at += octetsOf(payload);
  }
}

/** Octets that a message with this payload takes in a datagram. */
export function octetsOf(payload: Payload): number {
  return HEADER + align4(payload.length);
}

/** The messages of one datagram; stops at a broken length. */
export function parseMessages(datagram: Uint8Array): NetlinkMessage[] {
  const messages: NetlinkMessage[] = [];
  const view = viewOf(datagram);
  let at = 0;
  while (at + HEADER <= datagram.length) {
    const length = view.getUint32(at, LITTLE_ENDIAN);
    if (length < HEADER || at + length > datagram.length) break;
    messages.push({
      type: view.getUint16(at + 4, LITTLE_ENDIAN),
      flags: view.getUint16(at + 6, LITTLE_ENDIAN),
      sequence: view.getUint32(at + 8, LITTLE_ENDIAN),
      payload: datagram.subarray(at + HEADER, at + length),
    });
    at += align4(length);
  }
  return messages;
}

/** Reads an NLMSG_ERROR or the errno at the start of an NLMSG_DONE; `undefined` means success. */
export function parseError(message: NetlinkMessage): NetlinkError | undefined {
  if (message.payload.length < 4) return undefined;
  const errno = viewOf(message.payload).getInt32(0, LITTLE_ENDIAN);
  if (errno === 0) return undefined;
  const [code, text] = getSystemErrorMap().get(errno) ?? [`errno ${-errno}`, 'unknown error'];
  return { code, message: extendedText(message) ?? text };
}

const EXTENDED_TEXT = 1;

function extendedText(message: NetlinkMessage): string | undefined {
  if (!(message.flags & FLAG.ackAttributes)) return undefined;
  if (message.type === MESSAGE.done) return textOf(parseAttributes(message.payload, 4).get(EXTENDED_TEXT));
  if (message.payload.length < 8) return undefined;
  const original = viewOf(message.payload).getUint32(4, LITTLE_ENDIAN);
  const echoed = message.flags & FLAG.capped ? HEADER : align4(Math.min(original, message.payload.length));
  return textOf(parseAttributes(message.payload, 4 + echoed).get(EXTENDED_TEXT));
}
