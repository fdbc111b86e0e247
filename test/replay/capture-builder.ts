/** Builds pcap files of BGP sessions between hosts with link-local addresses: Ethernet, IPv6, TCP, in the order of the calls. */
import type { Address } from '../../src/core/net/address.js';

export interface End {
  readonly address: Address;
  readonly port: number;
}

interface SegmentOptions {
  readonly from: End;
  readonly to: End;
  readonly sequence: number;
  readonly flags: number;
  readonly payload: Uint8Array;
}

const SYN = 2;
const RST = 4;
const ACK = 16;
const FIN = 1;

export class CaptureBuilder {
  private readonly records: Uint8Array[] = [];
  private clock = 0;

  /** A session between `client` and `server`, its handshake captured. */
  connect(client: Address, server: Address, clientPort = 40000): BuiltSession {
    return new BuiltSession(this, { address: client, port: clientPort }, { address: server, port: 179 });
  }

  get bytes(): Uint8Array {
    const header = new DataView(new ArrayBuffer(24));
    header.setUint32(0, 0xa1b2c3d4);
    header.setUint16(4, 2);
    header.setUint16(6, 4);
    header.setUint32(16, 65535);
    header.setUint32(20, 1);
    return join([new Uint8Array(header.buffer), ...this.records]);
  }

  /** Seconds between this packet and the one before. */
  pause(seconds: number): void {
    this.clock += seconds;
  }

  segment({ from, to, sequence, flags, payload }: SegmentOptions): void {
    const frame = new Uint8Array(14 + 40 + 20 + payload.length);
    const view = new DataView(frame.buffer);
    view.setUint16(12, 0x86dd);
    frame[14] = 0x60;
    view.setUint16(18, 20 + payload.length);
    frame[20] = 6;
    frame[21] = 255;
    frame.set(from.address, 22);
    frame.set(to.address, 38);
    view.setUint16(54, from.port);
    view.setUint16(56, to.port);
    view.setUint32(58, sequence);
    frame[66] = 5 << 4;
    frame[67] = flags;
    frame.set(payload, 74);
    const record = new DataView(new ArrayBuffer(16));
    record.setUint32(0, this.clock);
    record.setUint32(4, this.records.length);
    record.setUint32(8, frame.length);
    record.setUint32(12, frame.length);
    this.records.push(join([new Uint8Array(record.buffer), frame]));
  }
}

export class BuiltSession {
  private readonly next = { client: 1001, server: 5001 };

  constructor(
    private readonly capture: CaptureBuilder,
    private readonly client: End,
    private readonly server: End,
  ) {
    this.put('client', 1000, SYN);
    this.put('server', 5000, SYN | ACK);
  }

  /** One segment with these messages. */
  send(side: 'client' | 'server', ...messages: readonly Uint8Array[]): void {
    const payload = join(messages);
    this.put(side, this.next[side], ACK, payload);
    this.next[side] += payload.length;
  }

  /** Octets that the capture did not see. */
  lose(side: 'client' | 'server', octets: number): void {
    this.next[side] += octets;
  }

  finish(side: 'client' | 'server'): void {
    this.put(side, this.next[side], FIN | ACK);
  }

  reset(side: 'client' | 'server'): void {
    this.put(side, this.next[side], RST);
  }

  private put(
    side: 'client' | 'server',
    sequence: number,
    flags: number,
    payload: Uint8Array = new Uint8Array(0),
  ): void {
    const [from, to] = side === 'client' ? [this.client, this.server] : [this.server, this.client];
    this.capture.segment({ from, to, sequence, flags, payload });
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
