/**
 * The sending half of a reliable queue pair: RDMA WRITEs cut into packets, a window of them under way, go-back-N
 * (InfiniBand Architecture 1.4, sections 9.7.2 and 9.7.5). Pure: time comes in as milliseconds.
 *
 *   next                 the packet to send now, if window and pace allow one
 *   acknowledged         ACK: all up to its PSN have arrived. NAK of sequence: all before it have, and all from it on are sent again.
 *                        Any other NAK fails the queue pair
 *   elapsed, at deadline no answer in the time for that: all is sent again from the oldest on; after retryLimit times without
 *                        progress the queue pair fails
 *
 * Packets are counted from 0 inside; on the wire the count is a PSN modulo 2^24.
 */
import { OPCODE } from '../wire/rocev2/opcode.js';
import { addPsn, psnDistance } from '../wire/rocev2/psn.js';
import type { Aeth, Reth } from '../wire/rocev2/roce-packet.js';
import { decodeSyndrome, NAK_CODE, nakName } from '../wire/rocev2/syndrome.js';

export interface RequesterSettings {
  readonly firstPsn: number;
  /** Octets of data in a packet, the last of a message aside. */
  readonly pathMtu: number;
  /** Packets under way. */
  readonly window: number;
  /** Milliseconds without an answer until all is sent again. */
  readonly ackTimeout: number;
  /** Times in a row that all is sent again without progress. */
  readonly retryLimit: number;
  /** Octets of data in a millisecond; absent: as fast as the window allows. */
  readonly pace?: number;
}

export interface WriteRequest {
  /** Where the data begins in the sender's memory. */
  readonly local: number;
  readonly length: number;
  readonly remote: bigint;
  readonly rKey: number;
  /** Told to the receiver with the last packet. */
  readonly immediate: number;
}

/** A packet to be sent: its headers, and where its data is. */
export interface RequestPacket {
  readonly opcode: number;
  readonly psn: number;
  readonly ackRequest: boolean;
  readonly reth?: Reth;
  readonly immediate?: number;
  readonly from: number;
  readonly length: number;
}

export interface RequesterCounters {
  /** All packets sent, those sent again among them. */
  sent: number;
  retransmitted: number;
  /** NAKs of a sequence error. */
  sequenceErrors: number;
  timeouts: number;
}

interface Message extends WriteRequest {
  readonly first: number;
  readonly packets: number;
}

/** Acknowledgements are asked for so many times a window. */
const REQUESTS_PER_WINDOW = 4;
/** Milliseconds of pace that are made up for at once when the clock was late. */
const CATCH_UP = 4;

export class Requester {
  readonly counters: RequesterCounters = { sent: 0, retransmitted: 0, sequenceErrors: 0, timeouts: 0 };
  /** Why nothing is sent any more. */
  failure: string | undefined;
  /** Messages that have arrived. */
  completed = 0;
  private completedOctets = 0;
  private readonly messages: Message[] = [];
  private oldest = 0;
  private upcoming = 0;
  /** One behind the newest packet that was ever sent, and behind the last there is. */
  private sentEnd = 0;
  private end = 0;
  private retries = 0;
  private timer = Number.POSITIVE_INFINITY;
  private paceAt = 0;

  constructor(private readonly settings: RequesterSettings) {}

  post(request: WriteRequest): void {
    const packets = Math.max(1, Math.ceil(request.length / this.settings.pathMtu));
    this.messages.push({ ...request, first: this.end, packets });
    this.end += packets;
  }

  /** Octets of data that have arrived. */
  get acknowledgedOctets(): number {
    const message = this.messages[0];
    if (!message) return this.completedOctets;
    return this.completedOctets + Math.min(message.length, (this.oldest - message.first) * this.settings.pathMtu);
  }

  get idle(): boolean {
    return this.oldest === this.end;
  }

  /** When `elapsed` or `next` has something to do; infinite when only an answer or a message can bring that about. */
  get deadline(): number {
    if (this.failure !== undefined) return Number.POSITIVE_INFINITY;
    return this.maySend() ? Math.min(this.timer, this.paceAt) : this.timer;
  }

  private maySend(): boolean {
    return this.upcoming < this.end && this.upcoming - this.oldest < this.settings.window;
  }

  next(now: number): RequestPacket | undefined {
    if (this.failure !== undefined || !this.maySend() || now < this.paceAt) return undefined;
    const index = this.upcoming++;
    const packet = this.packetAt(index);
    this.counters.sent++;
    if (index < this.sentEnd) this.counters.retransmitted++;
    this.sentEnd = Math.max(this.sentEnd, this.upcoming);
    if (this.timer === Number.POSITIVE_INFINITY) this.timer = now + this.settings.ackTimeout;
    if (this.settings.pace !== undefined)
      this.paceAt = Math.max(this.paceAt, now - CATCH_UP) + packet.length / this.settings.pace;
    return packet;
  }

  private packetAt(index: number): RequestPacket {
    const { pathMtu, window, firstPsn } = this.settings;
    const message = this.messages.find(({ first, packets }) => index < first + packets)!;
    const offset = (index - message.first) * pathMtu;
    const first = index === message.first;
    const last = index === message.first + message.packets - 1;
    const interval = Math.max(1, Math.floor(window / REQUESTS_PER_WINDOW));
    const edge = (index + 1) % interval === 0 || index + 1 - this.oldest >= window;
    return {
      opcode: opcodeOf(first, last),
      psn: addPsn(firstPsn, index),
      ackRequest: last || edge,
      ...(first && { reth: { address: message.remote, rKey: message.rKey, length: message.length } }),
      ...(last && { immediate: message.immediate }),
      from: message.local + offset,
      length: Math.min(pathMtu, message.length - offset),
    };
  }

  acknowledged(psn: number, { syndrome }: Aeth, now: number): void {
    const answer = decodeSyndrome(syndrome);
    const sequenceError = answer.kind === 'nak' && answer.code === NAK_CODE.sequenceError;
    const arrived = psnDistance(this.psnOf(this.oldest), psn) + (answer.kind === 'ack' ? 1 : 0);
    // Late, or of a packet that was never sent.
    if (this.failure !== undefined || arrived < 0 || this.oldest + arrived > this.sentEnd) return;
    if (arrived > 0) this.advance(arrived, now);
    if (sequenceError) this.goBack(now);
    else if (answer.kind === 'nak') this.fail(`the receiver refused it: ${nakName(answer.code)}`);
    else if (answer.kind !== 'ack') this.fail(`the receiver answered with syndrome ${syndrome}`);
  }

  private psnOf(index: number): number {
    return addPsn(this.settings.firstPsn, index);
  }

  private advance(count: number, now: number): void {
    this.oldest += count;
    this.upcoming = Math.max(this.upcoming, this.oldest);
    this.retries = 0;
    this.timer = this.oldest < this.sentEnd ? now + this.settings.ackTimeout : Number.POSITIVE_INFINITY;
    for (let message = this.messages[0]; message !== undefined; message = this.messages[0]) {
      if (message.first + message.packets > this.oldest) break;
      this.completed++;
      this.completedOctets += message.length;
      this.messages.shift();
    }
  }

  private goBack(now: number): void {
    this.counters.sequenceErrors++;
    this.retry(now, `the receiver misses PSN ${this.psnOf(this.oldest)}`);
  }

  elapsed(now: number): void {
    if (this.failure !== undefined || now < this.timer) return;
    this.counters.timeouts++;
    this.retry(now, `no answer to PSN ${this.psnOf(this.oldest)}`);
  }

  private retry(now: number, reason: string): void {
    const { retryLimit, ackTimeout } = this.settings;
    if (++this.retries > retryLimit)
      return this.fail(`${reason} after ${retryLimit} retries (timeout ${ackTimeout} ms)`);
    this.upcoming = this.oldest;
    this.timer = now + ackTimeout;
  }

  private fail(reason: string): void {
    this.failure = reason;
    this.timer = Number.POSITIVE_INFINITY;
  }
}

function opcodeOf(first: boolean, last: boolean): number {
  if (first) return last ? OPCODE.writeOnlyImmediate : OPCODE.writeFirst;
  return last ? OPCODE.writeLastImmediate : OPCODE.writeMiddle;
}
