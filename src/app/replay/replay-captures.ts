/**
 * Turns captures into the BGP, neighbour discovery and BFD messages they hold, in order. Packets go down through link, IP and
 * transport; TCP segments to and from the BGP port go through reassembly into one dialogue per connection.
 */

import { type Address, isLinkLocal } from '../../core/net/address.js';
import { counted } from '../../core/net/counted.js';
import { BFD_CONTROL_PORTS, decodeBfdControlPacket } from '../../core/wire/bfd.js';
import { decodeNdMessage } from '../../core/wire/icmpv6/decode-nd-message.js';
import { decodeIpPacket, type IpPacket, PROTOCOL } from '../../core/wire/packet/ip-packet.js';
import { decodeLinkFrame, type LinkFrame } from '../../core/wire/packet/link-frame.js';
import { decodeTcpSegment, type TcpSegment } from '../../core/wire/packet/tcp-segment.js';
import { decodeUdpDatagram } from '../../core/wire/packet/udp-datagram.js';
import type { Capture, CapturedPacket } from '../../core/wire/pcap/capture.js';
import { type TcpConnection, type TcpEvent, TcpReassembler } from '../../core/wire/tcp-reassembly.js';
import { BgpDialogue } from './bgp-dialogue.js';
import { BgpStream, type BgpStreamOutput } from './bgp-stream.js';
import type { ReplayContent, ReplayEvent, TcpFlag } from './replay-event.js';

export const BGP_PORT = 179;

/** A connection as BGP sees it. */
interface Conversation {
  readonly connection: TcpConnection;
  readonly dialogue: BgpDialogue;
  readonly first: BgpStream;
  readonly second: BgpStream;
}

interface CapturedFrame {
  readonly capture: number;
  readonly packet: CapturedPacket;
  /** Position among the packets of all captures. */
  readonly ordinal: number;
}

/** All messages of captures that were taken at the same time, perhaps on several links; several are merged by time. */
export function replayCaptures(captures: readonly Capture[], options: { readonly port: number }): ReplayEvent[] {
  const replayer = new Replayer(options.port);
  for (const frame of mergeByTime(captures)) replayer.push(frame);
  replayer.finish();
  return replayer.inOrder();
}

/** File order within a capture; between captures the earlier head goes first. */
function* mergeByTime(captures: readonly Capture[]): Generator<CapturedFrame> {
  const heads = captures.map(() => 0);
  for (let ordinal = 0; ; ordinal++) {
    let earliest: CapturedFrame | undefined;
    for (const [capture, { packets }] of captures.entries()) {
      const packet = packets[heads[capture]!];
      if (!packet || (earliest && (packet.time ?? 0n) >= (earliest.packet.time ?? 0n))) continue;
      earliest = { capture, packet, ordinal };
    }
    if (!earliest) return;
    heads[earliest.capture]! += 1;
    yield earliest;
  }
}

class Replayer {
  private readonly events: { readonly ordinal: number; readonly event: ReplayEvent }[] = [];
  private readonly reassembler = new TcpReassembler<CapturedFrame>();
  private readonly conversations = new Map<number, Conversation>();
  private readonly unreadLinkTypes = new Set<number>();
  private last: CapturedFrame | undefined;

  constructor(private readonly port: number) {}

  push(frame: CapturedFrame): void {
    this.last = frame;
    const link = decodeLinkFrame(frame.packet.linkType, frame.packet.data);
    const packet = link && decodeIpPacket(link);
    if (!link) this.noteUnreadLink(frame);
    else if (packet?.protocol === PROTOCOL.tcp) this.pushTcp(frame, link, packet);
    else if (packet?.protocol === PROTOCOL.udp) this.pushUdp(frame, packet);
    else if (packet?.protocol === PROTOCOL.icmpv6) this.pushIcmpv6(frame, packet);
  }

  /** The captures end here: what waits behind gaps is all there will be. */
  finish(): void {
    if (!this.last) return;
    for (const event of this.reassembler.flush()) this.pushTcpEvent(this.last, event);
    for (const { connection, first, second } of this.conversations.values()) {
      for (const output of first.interrupt()) this.pushBgp(this.last, { connection, fromFirst: true }, output);
      for (const output of second.interrupt()) this.pushBgp(this.last, { connection, fromFirst: false }, output);
    }
  }

  /** What waited behind a hole comes to light late, and belongs to the frame that carried it. */
  inOrder(): ReplayEvent[] {
    return this.events.sort((a, b) => a.ordinal - b.ordinal).map(({ event }) => event);
  }

  private pushTcp(frame: CapturedFrame, link: LinkFrame, packet: IpPacket): void {
    const segment = decodeTcpSegment(packet);
    if (!segment) {
      if (packet.fragment) this.note(frame, packet, 'a fragment of an IP packet with TCP inside, not put together');
      return;
    }
    if (segment.sourcePort !== this.port && segment.destinationPort !== this.port) return;
    const flag = flagOf(segment);
    if (flag) {
      const { sourcePort, destinationPort, signed } = segment;
      const content = { kind: 'tcp', flag, sourcePort, destinationPort, hopLimit: packet.hopLimit, signed } as const;
      this.emit(frame, packet, content);
    }
    const { source, destination } = packet;
    const captured = { source, destination, link: linkName(frame, link, source), segment, origin: frame };
    for (const event of this.reassembler.push(captured)) this.pushTcpEvent(frame, event);
  }

  private pushTcpEvent(frame: CapturedFrame, event: TcpEvent<CapturedFrame>): void {
    const { connection } = event;
    if (event.kind === 'opened') {
      this.conversations.set(connection.id, {
        connection,
        dialogue: new BgpDialogue(),
        first: new BgpStream(),
        second: new BgpStream(),
      });
      return;
    }
    const { fromFirst } = event;
    const conversation = this.conversations.get(connection.id)!;
    const stream = fromFirst ? conversation.first : conversation.second;
    if (event.kind === 'data') {
      for (const output of stream.push(event.bytes)) this.pushBgp(event.origin, { connection, fromFirst }, output);
    } else if (event.kind === 'hole') {
      const text = `${counted(event.octets, 'octet')} of the TCP stream not in the capture`;
      this.note(event.origin, route(connection, fromFirst), text);
      for (const output of stream.interrupt()) this.pushBgp(event.origin, { connection, fromFirst }, output);
    } else {
      const how = event.kind === 'end' ? 'fin' : 'rst';
      this.emit(frame, route(connection, fromFirst), { kind: 'closed', connection, how });
    }
  }

  private pushBgp(
    frame: CapturedFrame,
    from: { readonly connection: TcpConnection; readonly fromFirst: boolean },
    output: BgpStreamOutput,
  ): void {
    const ends = route(from.connection, from.fromFirst);
    if (output.kind === 'skipped') {
      this.note(frame, ends, `${counted(output.octets, 'octet')} left out: no whole BGP message`);
      return;
    }
    const { dialogue } = this.conversations.get(from.connection.id)!;
    const message = dialogue.decode(output.bytes, from.fromFirst);
    const opens = dialogue.opens(from.fromFirst);
    this.emit(frame, ends, { kind: 'bgp', message, bytes: output.bytes, opens, ...from });
  }

  private pushUdp(frame: CapturedFrame, packet: IpPacket): void {
    const datagram = decodeUdpDatagram(packet);
    if (!datagram || !BFD_CONTROL_PORTS.has(datagram.destinationPort)) return;
    const bfd = decodeBfdControlPacket(datagram.payload);
    const { sourcePort, destinationPort } = datagram;
    if (!bfd) this.note(frame, packet, 'a BFD control packet that is not whole');
    else this.emit(frame, packet, { kind: 'bfd', packet: bfd, hopLimit: packet.hopLimit, sourcePort, destinationPort });
  }

  private pushIcmpv6(frame: CapturedFrame, packet: IpPacket): void {
    if (packet.fragment) return;
    const result = decodeNdMessage(packet.payload, packet.source);
    if (result.kind === 'message') {
      this.emit(frame, packet, { kind: 'nd', message: result.message, hopLimit: packet.hopLimit });
    } else if (result.kind === 'error') {
      this.note(frame, packet, `a Neighbor Discovery message that hosts ignore: ${result.reason}`);
    }
  }

  private noteUnreadLink(frame: CapturedFrame): void {
    const { linkType } = frame.packet;
    if (this.unreadLinkTypes.has(linkType)) return;
    this.unreadLinkTypes.add(linkType);
    const nowhere = new Uint8Array(16);
    const text = `packets of link type ${linkType} are not read (or are shorter than their header)`;
    this.note(frame, { source: nowhere, destination: nowhere }, text);
  }

  private note(frame: CapturedFrame, ends: Ends, text: string): void {
    this.emit(frame, ends, { kind: 'note', text });
  }

  private emit({ capture, packet, ordinal }: CapturedFrame, ends: Ends, content: ReplayContent): void {
    const { source, destination } = ends;
    const event = { capture, frame: packet.frame, time: packet.time, source, destination, content };
    this.events.push({ ordinal, event });
  }
}

interface Ends {
  readonly source: Address;
  readonly destination: Address;
}

function route(connection: TcpConnection, fromFirst: boolean): Ends {
  const { first, second } = connection;
  return fromFirst
    ? { source: first.address, destination: second.address }
    : { source: second.address, destination: first.address };
}

function flagOf(segment: TcpSegment): TcpFlag | undefined {
  if (segment.rst) return 'rst';
  if (segment.syn) return segment.ack ? 'syn-ack' : 'syn';
  return segment.fin ? 'fin' : undefined;
}

/** Link-local addresses may repeat on other links; others are one host's wherever they are seen. */
function linkName({ packet }: CapturedFrame, link: LinkFrame, source: Address): string {
  if (!isLinkLocal(source)) return '';
  return [packet.interfaceIndex, link.interfaceIndex ?? '', ...link.vlans].join('/');
}
