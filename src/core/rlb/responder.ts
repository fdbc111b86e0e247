/**
 * The receiving half of a reliable queue pair: RDMA WRITEs in the order of their PSNs, go-back-N
 * (InfiniBand Architecture 1.4, sections 9.7.3, 9.7.4 and 9.7.5.2). Pure.
 *
 *   the expected PSN    placed, and acknowledged when that is asked for
 *   an earlier one      a duplicate: acknowledged again when that is asked for, not placed
 *   a later one         not placed; one NAK of sequence error for each expected PSN
 *
 * What cannot be done (no such memory, a message that ends too early) is refused with the NAK for that.
 */
import { OPCODE } from '../wire/rocev2/opcode.js';
import { addPsn, psnDistance } from '../wire/rocev2/psn.js';
import type { RocePacket } from '../wire/rocev2/roce-packet.js';
import { encodeSyndrome, NAK_CODE, UNLIMITED_CREDITS } from '../wire/rocev2/syndrome.js';

/** Memory that the other side may write to. */
export interface MemoryRegion {
  readonly rKey: number;
  /** Address of its first octet, as the other side knows it. */
  readonly address: bigint;
  readonly length: number;
}

export interface ResponderSettings {
  readonly firstPsn: number;
  readonly pathMtu: number;
  readonly region: MemoryRegion;
}

export interface Answer {
  readonly psn: number;
  readonly syndrome: number;
  readonly messageSequence: number;
}

export interface Response {
  /** Where in the region the packet's data belongs. */
  readonly place?: number;
  readonly answer?: Answer;
  /** A message is complete, and brought this. */
  readonly immediate?: number;
}

export interface ResponderCounters {
  received: number;
  duplicates: number;
  /** Packets with others before them missing: lost, or overtaken. */
  outOfOrder: number;
  refused: number;
}

interface OpenMessage {
  /** Place of its next octet, and how many are to come. */
  at: number;
  left: number;
}

type Part = 'first' | 'middle' | 'last' | 'only';

const PARTS: ReadonlyMap<number, Part> = new Map([
  [OPCODE.writeFirst, 'first'],
  [OPCODE.writeMiddle, 'middle'],
  [OPCODE.writeLast, 'last'],
  [OPCODE.writeLastImmediate, 'last'],
  [OPCODE.writeOnly, 'only'],
  [OPCODE.writeOnlyImmediate, 'only'],
]);

const ACK = encodeSyndrome({ kind: 'ack', credits: UNLIMITED_CREDITS });

export class Responder {
  readonly counters: ResponderCounters = { received: 0, duplicates: 0, outOfOrder: 0, refused: 0 };
  /** Messages that are complete. */
  completed = 0;
  placedOctets = 0;
  private expected: number;
  private nakSent = false;
  private open: OpenMessage | undefined;

  constructor(private readonly settings: ResponderSettings) {
    this.expected = settings.firstPsn;
  }

  get expectedPsn(): number {
    return this.expected;
  }

  receive(packet: RocePacket): Response {
    this.counters.received++;
    const distance = psnDistance(this.expected, packet.psn);
    if (distance < 0) return this.duplicate(packet);
    if (distance > 0) return this.tooEarly();
    const message = this.messageOf(packet);
    if (typeof message === 'number') return this.refuse(message);
    return this.accept(packet, message);
  }

  private duplicate({ ackRequest }: RocePacket): Response {
    this.counters.duplicates++;
    return ackRequest ? { answer: this.answer(addPsn(this.expected, -1), ACK) } : {};
  }

  private tooEarly(): Response {
    this.counters.outOfOrder++;
    if (this.nakSent) return {};
    this.nakSent = true;
    return { answer: this.nak(NAK_CODE.sequenceError) };
  }

  /** The message that the packet goes on with, or the code of the NAK. */
  private messageOf({ opcode, reth, payload }: RocePacket): OpenMessage | number {
    const part = PARTS.get(opcode);
    const begins = part === 'first' || part === 'only';
    if (part === undefined || begins !== (this.open === undefined)) return NAK_CODE.invalidRequest;
    const message = begins && reth ? this.enter(reth.rKey, reth.address, reth.length) : this.open;
    if (message === undefined) return NAK_CODE.remoteAccessError;
    const due = Math.min(message.left, this.settings.pathMtu);
    const ends = part === 'last' || part === 'only';
    return payload.length === due && ends === (message.left === due) ? message : NAK_CODE.invalidRequest;
  }

  private enter(rKey: number, address: bigint, length: number): OpenMessage | undefined {
    const { region } = this.settings;
    const at = Number(address - region.address);
    return rKey === region.rKey && at >= 0 && at + length <= region.length ? { at, left: length } : undefined;
  }

  private accept(packet: RocePacket, message: OpenMessage): Response {
    const { length } = packet.payload;
    const place = message.at;
    this.expected = addPsn(this.expected, 1);
    this.nakSent = false;
    this.placedOctets += length;
    message.at += length;
    message.left -= length;
    const complete = message.left === 0;
    this.open = complete ? undefined : message;
    if (complete) this.completed++;
    return {
      place,
      ...(complete && { immediate: packet.immediate ?? 0 }),
      ...(packet.ackRequest && { answer: this.answer(packet.psn, ACK) }),
    };
  }

  private refuse(code: number): Response {
    this.counters.refused++;
    return { answer: this.nak(code) };
  }

  private nak(code: number): Answer {
    return this.answer(this.expected, encodeSyndrome({ kind: 'nak', code }));
  }

  private answer(psn: number, syndrome: number): Answer {
    return { psn, syndrome, messageSequence: this.completed & 0xffffff };
  }
}
