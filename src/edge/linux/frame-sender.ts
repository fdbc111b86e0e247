/**
 * Sends one frame again and again out of an interface, as it is: a packet socket (packet(7)) and sendmmsg(2), past the queueing discipline.
 * For measurements: Node has neither, and a datagram socket makes a packet of its own of each.
 */
import { closeSync } from 'node:fs';
import { endianness } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { type KoffiPackage, loadKoffi } from './native.js';

const AF_PACKET = 17;
const SOCK_RAW = 3;
const SOL_PACKET = 263;
const PACKET_QDISC_BYPASS = 20;
/** struct sockaddr_ll, struct mmsghdr, struct iovec of a 64-bit machine, and where the fields are that are used. */
const ADDRESS = { octets: 20, interfaceIndex: 4 } as const;
const MESSAGE = { octets: 64, vector: 16, vectors: 24 } as const;
const VECTOR = { octets: 16, base: 0, length: 8 } as const;
/** Frames of a system call. */
const BATCH = 64;

export class FrameSender {
  private readonly koffi: KoffiPackage = loadKoffi();
  private readonly sendMessages: (...values: unknown[]) => number;
  private readonly descriptor: number;
  private readonly messages = memory(MESSAGE.octets * BATCH);
  private readonly vector = memory(VECTOR.octets);
  private readonly frame: Uint8Array;

  /** Throws with the name of what the kernel says. */
  constructor(interfaceIndex: number, frame: Uint8Array) {
    if (endianness() !== 'LE') throw new Error('frames are sent on little-endian machines only');
    const library = this.koffi.load(null);
    this.sendMessages = library.func('int sendmmsg(int socket, void *messages, unsigned int count, int flags)');
    this.descriptor = this.must(library.func('int socket(int, int, int)')(AF_PACKET, SOCK_RAW, 0), 'socket');
    const option = library.func('int setsockopt(int, int, int, void *value, unsigned int length)');
    const one = Uint8Array.of(1, 0, 0, 0);
    this.must(option(this.descriptor, SOL_PACKET, PACKET_QDISC_BYPASS, one, one.length), 'setsockopt');
    const address = memory(ADDRESS.octets);
    new DataView(address.buffer).setUint16(0, AF_PACKET, true);
    new DataView(address.buffer).setInt32(ADDRESS.interfaceIndex, interfaceIndex, true);
    const bind = library.func('int bind(int, void *address, unsigned int length)');
    this.must(bind(this.descriptor, address, address.length), 'bind');
    this.frame = memory(frame.length);
    this.frame.set(frame);
    this.refer();
  }

  /** Every message is the frame. */
  private refer(): void {
    const vector = new DataView(this.vector.buffer);
    vector.setBigUint64(VECTOR.base, this.koffi.address(this.frame), true);
    vector.setBigUint64(VECTOR.length, BigInt(this.frame.length), true);
    const messages = new DataView(this.messages.buffer);
    for (let at = 0; at < this.messages.length; at += MESSAGE.octets) {
      messages.setBigUint64(at + MESSAGE.vector, this.koffi.address(this.vector), true);
      messages.setBigUint64(at + MESSAGE.vectors, 1n, true);
    }
  }

  /** Sends it at least so many times; on a veth the call comes back when the far end has it. */
  send(count: number): void {
    for (let sent = 0; sent < count; )
      sent += this.must(this.sendMessages(this.descriptor, this.messages, BATCH, 0), 'sendmmsg');
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private must(result: number, call: string): number {
    if (result >= 0) return result;
    throw new Error(`${call}: ${getSystemErrorName(-this.koffi.errno())}`);
  }
}

/** A buffer of its own, which is not moved. */
function memory(octets: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(octets));
}
