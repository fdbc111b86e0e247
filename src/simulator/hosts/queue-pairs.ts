/**
 * All queue pairs of all hosts, both ends of each, as columns of numbers: what the sender has sent and knows to have arrived, what the receiver
 * expects, and the messages that are posted (RoCEv2 reliable connection). A queue pair that is closed is used again under another generation.
 * Packet sequence numbers count on here; on the wire they have 24 bits (`sequence-numbers.ts`).
 */
import { grown } from '../../core/net/grown.js';

const NONE = -1;

export interface Endpoints {
  readonly source: number;
  readonly destination: number;
  /** Indices of addresses in the forwarding tables. */
  readonly sourceAddress: number;
  readonly destinationAddress: number;
  /** What switches hash: a word for each address, one for both ports, one for the destination queue pair number. */
  readonly words: readonly [source: number, destination: number, ports: number, queuePair: number];
  readonly serviceClass: number;
}

export class QueuePairs {
  source = new Int32Array(64);
  destination = new Int32Array(64);
  sourceAddress = new Int32Array(64);
  destinationAddress = new Int32Array(64);
  sourceWord = new Int32Array(64);
  destinationWord = new Int32Array(64);
  portsWord = new Int32Array(64);
  /** The ports as the other direction has them. */
  reversePortsWord = new Int32Array(64);
  queuePairWord = new Int32Array(64);
  serviceClass = new Int32Array(64);
  generation = new Int32Array(64);
  /** The oldest packet that is not acknowledged, the next to send, the end of what is posted. */
  unacknowledged = new Int32Array(64);
  next = new Int32Array(64);
  end = new Int32Array(64);
  /** The highest that was ever sent, plus one: what is sent below it is sent again. */
  highest = new Int32Array(64);
  /** Messages, by index: the one that holds `unacknowledged`, the one that was sent of last, the last. */
  oldestMessage = new Int32Array(64);
  nextMessage = new Int32Array(64);
  lastMessage = new Int32Array(64);
  /** The message that the receiver has not whole yet, -1: it has all that were posted; and the sequence number after it. */
  arrivingMessage = new Int32Array(64);
  arrivingEnd = new Float64Array(64);
  /** The packet that `nextMessage` was last moved to. */
  located = new Int32Array(64);
  /** Pacing: picoseconds for an octet at the rate that congestion control allows, and when the next packet may go. */
  psPerOctet = new Float64Array(64);
  availableAt = new Float64Array(64);
  /** In the ring of its NIC: the next one there. */
  ring = new Int32Array(64);
  inRing = new Uint8Array(64);
  /** 1: nobody's, although it may still be in the ring of its NIC, which it leaves in turn. */
  closed = new Uint8Array(64);
  /** When the sender gives up waiting for an acknowledgement; when an event looks whether it has, 0: none is under way. */
  timeoutAt = new Float64Array(64);
  timerAt = new Float64Array(64);
  /** The receiver: the next in order, the last that it complained of, when it may complain of that again. */
  expected = new Int32Array(64);
  complained = new Int32Array(64);
  complainAt = new Float64Array(64);
  /** Packets sent again, and packets that came and were not the expected one. */
  resent = new Int32Array(64);
  outOfOrder = new Int32Array(64);
  /** The receiver: the furthest packet that has come; -1: none. */
  furthest = new Int32Array(64);
  size = 0;
  private free: number[] = [];
  /** Called when columns have grown, so that columns of others grow with them. */
  readonly growth: ((length: number) => void)[] = [];

  open(ends: Endpoints, psPerOctet: number): number {
    const qp = this.free.pop() ?? this.size++;
    if (qp >= this.source.length) this.grow();
    this.source[qp] = ends.source;
    this.destination[qp] = ends.destination;
    this.sourceAddress[qp] = ends.sourceAddress;
    this.destinationAddress[qp] = ends.destinationAddress;
    this.sourceWord[qp] = ends.words[0];
    this.destinationWord[qp] = ends.words[1];
    this.portsWord[qp] = ends.words[2];
    this.reversePortsWord[qp] = (ends.words[2] << 16) | (ends.words[2] >>> 16);
    this.queuePairWord[qp] = ends.words[3];
    this.serviceClass[qp] = ends.serviceClass;
    this.unacknowledged[qp] = 0;
    this.next[qp] = 0;
    this.end[qp] = 0;
    this.highest[qp] = 0;
    this.oldestMessage[qp] = NONE;
    this.nextMessage[qp] = NONE;
    this.lastMessage[qp] = NONE;
    this.arrivingMessage[qp] = NONE;
    this.arrivingEnd[qp] = Number.POSITIVE_INFINITY;
    this.located[qp] = 0;
    this.psPerOctet[qp] = psPerOctet;
    this.availableAt[qp] = 0;
    this.inRing[qp] = 0;
    this.closed[qp] = 0;
    this.timeoutAt[qp] = 0;
    this.timerAt[qp] = 0;
    this.expected[qp] = 0;
    this.complained[qp] = NONE;
    this.complainAt[qp] = 0;
    this.resent[qp] = 0;
    this.outOfOrder[qp] = 0;
    this.furthest[qp] = NONE;
    return qp;
  }

  /** The second number of an event for a timer of a queue pair: which of eight, and of what generation. */
  timerOf(qp: number, which: number): number {
    return ((this.generation[qp]! << 3) | which) & 0x7fffffff;
  }

  /** Whether an event's second number is of a queue pair that is still the same. */
  isCurrent(qp: number, timer: number): boolean {
    return timer === this.timerOf(qp, timer & 7);
  }

  /** Whatever comes for it from now on is nobody's. */
  close(qp: number): void {
    this.generation[qp] = this.generation[qp]! + 1;
    this.closed[qp] = 1;
    if (this.inRing[qp] === 0) this.free.push(qp);
  }

  /** It is not in the ring of its NIC any more: only now its number may be used again, perhaps by another NIC. */
  leftRing(qp: number): void {
    this.inRing[qp] = 0;
    if (this.closed[qp] === 1) this.free.push(qp);
  }

  private grow(): void {
    const length = this.source.length * 2;
    this.source = grown(this.source, length);
    this.destination = grown(this.destination, length);
    this.sourceAddress = grown(this.sourceAddress, length);
    this.destinationAddress = grown(this.destinationAddress, length);
    this.sourceWord = grown(this.sourceWord, length);
    this.destinationWord = grown(this.destinationWord, length);
    this.portsWord = grown(this.portsWord, length);
    this.reversePortsWord = grown(this.reversePortsWord, length);
    this.queuePairWord = grown(this.queuePairWord, length);
    this.serviceClass = grown(this.serviceClass, length);
    this.generation = grown(this.generation, length);
    this.unacknowledged = grown(this.unacknowledged, length);
    this.next = grown(this.next, length);
    this.end = grown(this.end, length);
    this.highest = grown(this.highest, length);
    this.oldestMessage = grown(this.oldestMessage, length);
    this.nextMessage = grown(this.nextMessage, length);
    this.lastMessage = grown(this.lastMessage, length);
    this.arrivingMessage = grown(this.arrivingMessage, length);
    this.arrivingEnd = grown(this.arrivingEnd, length);
    this.located = grown(this.located, length);
    this.psPerOctet = grown(this.psPerOctet, length);
    this.availableAt = grown(this.availableAt, length);
    this.ring = grown(this.ring, length);
    this.inRing = grown(this.inRing, length);
    this.closed = grown(this.closed, length);
    this.timeoutAt = grown(this.timeoutAt, length);
    this.timerAt = grown(this.timerAt, length);
    this.expected = grown(this.expected, length);
    this.complained = grown(this.complained, length);
    this.complainAt = grown(this.complainAt, length);
    this.resent = grown(this.resent, length);
    this.outOfOrder = grown(this.outOfOrder, length);
    this.furthest = grown(this.furthest, length);
    for (const grow of this.growth) grow(length);
  }
}
