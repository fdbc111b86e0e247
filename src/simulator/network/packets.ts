/**
 * Packets in flight, as rows of sixteen integers in one array (a cache line each): a packet is its number, and nothing is allocated per packet.
 * Rows are used again. Seven words belong to the load-balancing scheme, as a header of its own would.
 */
import { grown } from '../../core/net/grown.js';

/** log2 of the words of a row. */
export const ROW = 4;

/** Words of a row. */
export const Word = {
  /** What it is: a `PacketKind`, with `Flag` bits over it. */
  kind: 0,
  /** The queue pair it belongs to; for a PFC frame the class. */
  queuePair: 1,
  /** Packet sequence number, 24 bits. For ACK and NACK: the next one that is expected. */
  psn: 2,
  /** Octets on the wire. */
  bytes: 3,
  /** The next packet of its queue. */
  next: 4,
  /** The port of the switch it is in by which it came; -1: made there. */
  ingress: 5,
  /** The address it goes to, as an index (`Forwarding`). */
  destination: 6,
  /** Generation of the queue pair: what comes late for one that has ended is known by it. */
  generation: 7,
  /** The first of seven words of the load-balancing scheme; 0 when a packet is made. */
  scheme: 8,
  /** Of an answer: the packet that it answers. */
  cause: 15,
} as const;

export const PacketKind = {
  data: 0,
  ack: 1,
  nack: 2,
  cnp: 3,
  pause: 4,
  /** A control packet of the load-balancing scheme. */
  scheme: 5,
} as const;

export const KIND_MASK = 0xf;

export const Flag = {
  /** ECN: congestion experienced (RFC 3168). */
  congestion: 0x10,
  /** The sender speaks ECN (ECT). */
  ecnCapable: 0x20,
  /** An ACK or NACK that tells the sender of congestion: data came marked, or, in the ns-3 models, out of order. */
  echo: 0x40,
  /** Resume instead of pause. */
  resume: 0x80,
  /** The last packet of a message. */
  last: 0x100,
  /** Marks of the load-balancing scheme. */
  scheme: 0x200,
  /** The first packet of a message. */
  first: 0x400,
  /** An echo for the sake of a gap alone: what came was not marked. */
  unmarked: 0x800,
  /** Data that is sent again. */
  again: 0x1000,
} as const;

/** The class of service, in the upper half of the word of the kind. */
export const CLASS_SHIFT = 16;

const NONE = -1;

export class Packets {
  words = new Int32Array(16384 << ROW);
  /** Packets in flight now. */
  live = 0;
  /** Of those that were lost: ACKs, NAKs and CNPs; packets of schemes, and pause frames. */
  lostAnswers = 0;
  lostControl = 0;
  private used = 0;
  private free = NONE;

  /** A packet whose words are what its last user left; the caller sets what it needs. */
  allocate(): number {
    this.live++;
    const packet = this.free;
    if (packet !== NONE) {
      this.free = this.words[(packet << ROW) + Word.next]!;
      return packet;
    }
    if (this.used << ROW === this.words.length) this.words = grown(this.words, this.words.length * 2);
    return this.used++;
  }

  /** Whether it is data, not an answer or a control packet. */
  isData(packet: number): boolean {
    return (this.words[packet << ROW]! & KIND_MASK) === PacketKind.data;
  }

  /** Clears what belongs to the scheme. */
  clearScheme(at: number): void {
    const { words } = this;
    for (let word = at + Word.scheme; word < at + Word.cause; word++) words[word] = 0;
  }

  /** Ends a packet that is lost. How many data packets that was, 0 or 1: others are counted here. */
  lose(packet: number): number {
    const kind = this.words[packet << ROW]! & KIND_MASK;
    this.release(packet);
    if (kind === PacketKind.data) return 1;
    if (kind === PacketKind.pause || kind === PacketKind.scheme) this.lostControl++;
    else this.lostAnswers++;
    return 0;
  }

  release(packet: number): void {
    this.live--;
    this.words[(packet << ROW) + Word.next] = this.free;
    this.free = packet;
  }
}
