/** BGP messages out of the captures in pcaps/, as byte vectors for unit tests. Reassembly is just enough for those files. */
import { readdirSync, readFileSync } from 'node:fs';
import { formatAddress } from '../../src/core/net/address.js';
import { MessageFramer } from '../../src/core/wire/bgp/framer.js';
import { decodeIpPacket } from '../../src/core/wire/packet/ip-packet.js';
import { decodeLinkFrame } from '../../src/core/wire/packet/link-frame.js';
import { decodeTcpSegment } from '../../src/core/wire/packet/tcp-segment.js';
import { readCapture } from '../../src/core/wire/pcap/read-capture.js';

const FOLDER = new URL('../../pcaps/', import.meta.url);
const BGP_PORT = 179;

export interface CapturedMessage {
  readonly capture: string;
  readonly frame: number;
  /** Which connection and direction: `address:port>address:port`. */
  readonly stream: string;
  readonly type: number;
  readonly body: Uint8Array;
}

export function captureNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.pcap'))
    .map((file) => file.slice(0, -'.pcap'.length));
}

/** Every whole message of a capture in order of arrival. Throws when the bytes do not frame. */
export function capturedMessages(name: string): readonly CapturedMessage[] {
  return messagesIn(name, readFileSync(new URL(`${name}.pcap`, FOLDER)));
}

/** The same of a capture file's bytes; `name` is for people. */
export function messagesIn(name: string, bytes: Uint8Array): readonly CapturedMessage[] {
  const capture = readCapture(bytes);
  if (capture.format === 'none') throw new Error(capture.reason);
  const messages: CapturedMessage[] = [];
  const streams = new Map<string, { framer: MessageFramer; expected: number }>();
  for (const packet of capture.packets) {
    const frame = decodeLinkFrame(packet.linkType, packet.data);
    const ip = frame && decodeIpPacket(frame);
    const segment = ip && decodeTcpSegment(ip);
    if (!segment || (segment.sourcePort !== BGP_PORT && segment.destinationPort !== BGP_PORT)) continue;
    if (segment.payload.length === 0) continue;
    const stream = `${formatAddress(ip.source)}:${segment.sourcePort}>${formatAddress(ip.destination)}:${segment.destinationPort}`;
    const state = streams.get(stream) ?? { framer: extendedFramer(), expected: segment.sequence };
    streams.set(stream, state);
    if (segment.sequence !== state.expected) continue;
    state.expected = (state.expected + segment.payload.length) >>> 0;
    const error = state.framer.push(segment.payload, (type, body) => {
      messages.push({ capture: name, frame: packet.frame, stream, type, body: body.slice() });
    });
    if (error) throw new Error(`${name} frame ${packet.frame}: ${error.reason}`);
  }
  return messages;
}

/** Whether longer messages were agreed on is not looked at. */
function extendedFramer(): MessageFramer {
  const framer = new MessageFramer();
  framer.setExtended(true);
  return framer;
}
