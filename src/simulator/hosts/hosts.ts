/**
 * All hosts of a fabric, one port each: a NIC that answers what comes (control packets first), and sends the packets of its queue pairs in turn, each
 * at the pace that its congestion control allows. What is lost and sent again is the reliability profile's, rates are congestion control's.
 */
import { EventKind } from '../engine/event-kind.js';
import type { EventQueue } from '../engine/event-queue.js';
import { CLASS_SHIFT, Flag, KIND_MASK, PacketKind, type Packets, ROW, Word } from '../network/packets.js';
import type { Pauses } from '../network/pauses.js';
import type { Ports } from '../network/ports.js';
import type { Wire } from '../network/wire.js';
import type { CongestionControl } from './congestion-control.js';
import type { Messages } from './messages.js';
import type { Endpoints, QueuePairs } from './queue-pairs.js';
import { type Reliability, Response } from './reliability.js';
import { PSN_MASK, wholePsn } from './sequence-numbers.js';

const NONE = -1;
const TIMEOUT = 7;

export interface PacketSizes {
  /** The most payload of a packet, octets. */
  readonly payload: number;
  /** What a data packet has on the wire besides payload. */
  readonly overhead: number;
  /** An ACK, NAK or CNP on the wire. */
  readonly answer: number;
}

/** The classes of service of what hosts answer with. */
export interface AnswerClasses {
  /** ACKs and NAKs. */
  readonly acknowledgement: number;
  /** CNPs. */
  readonly notice: number;
}

export class Hosts {
  /** Data packets sent, those of them sent again, and those that came out of order. */
  dataPackets = 0;
  resent = 0;
  /** Octets on the wire of both. */
  dataOctets = 0;
  resentOctets = 0;
  outOfOrder = 0;
  /** Those that others overtook: not what follows a loss, nor what is sent again. */
  overtaken = 0;
  complaints = 0;
  congestionNotices = 0;
  /** Those of them that came with a complaint of a gap, and of no mark. */
  complaintNotices = 0;
  timeouts = 0;
  /** Called when the last packet of a message is acknowledged, with its queue pair and tag. */
  completed: (qp: number, tag: number) => void = () => {};
  /** Called before that, when the receiver has the whole message. */
  delivered: (qp: number, tag: number) => void = () => {};
  /** Called when a queue pair has been opened: its number may have been another's before. */
  opened: (qp: number) => void = () => {};
  readonly queuePairs: QueuePairs;
  private readonly messages: Messages;
  private readonly wire: Wire;
  private readonly events: EventQueue;
  private readonly ports: Ports;
  private readonly packets: Packets;
  private readonly pauses: Pauses;
  private readonly sizes: PacketSizes;
  private readonly classes: AnswerClasses;
  private readonly reliability: Reliability;
  private readonly congestion: CongestionControl;
  /** Of each host its port. */
  private readonly portOf: Int32Array;
  /** The ring of queue pairs with something to send: the one that sent last; its next is first in turn. */
  private readonly turn: Int32Array;
  /** When an event comes that lets the host look again; 0: none. */
  private readonly readyAt: Float64Array;
  /** When the receiver of a queue pair may send the next CNP. */
  private noticeAt = new Float64Array(64);

  constructor(parts: {
    hosts: number;
    wire: Wire;
    pauses: Pauses;
    queuePairs: QueuePairs;
    messages: Messages;
    sizes: PacketSizes;
    classes: AnswerClasses;
    reliability: Reliability;
    congestion: CongestionControl;
  }) {
    this.wire = parts.wire;
    this.events = parts.wire.events;
    this.ports = parts.wire.ports;
    this.packets = parts.wire.packets;
    this.pauses = parts.pauses;
    this.queuePairs = parts.queuePairs;
    this.messages = parts.messages;
    this.sizes = parts.sizes;
    this.classes = parts.classes;
    this.reliability = parts.reliability;
    this.congestion = parts.congestion;
    this.portOf = new Int32Array(parts.hosts);
    this.turn = new Int32Array(parts.hosts).fill(NONE);
    this.readyAt = new Float64Array(parts.hosts);
    this.ports.node.forEach((node, port) => {
      if (node < parts.hosts) this.portOf[node] = port;
    });
    this.queuePairs.growth.push((length) => {
      const longer = new Float64Array(length);
      longer.set(this.noticeAt);
      this.noticeAt = longer;
    });
  }

  /** A new queue pair between two hosts, at line rate. */
  open(ends: Endpoints): number {
    const qp = this.queuePairs.open(ends, this.ports.psPerOctet[this.portOf[ends.source]!]!);
    this.noticeAt[qp] = 0;
    this.reliability.opened(qp);
    this.congestion.opened(qp);
    this.opened(qp);
    return qp;
  }

  /** Posts a message of so many octets; `completed` has `tag` when all of it is acknowledged. */
  post(qp: number, octets: number, tag: number): void {
    const { queuePairs, messages, sizes } = this;
    const packets = Math.max(1, Math.ceil(octets / sizes.payload));
    const end = queuePairs.end[qp]! + packets;
    const message = messages.add(end, octets - (packets - 1) * sizes.payload, tag);
    messages.start[message] = queuePairs.end[qp]!;
    queuePairs.end[qp] = end;
    const last = queuePairs.lastMessage[qp]!;
    if (last === NONE) {
      queuePairs.oldestMessage[qp] = message;
      queuePairs.nextMessage[qp] = message;
    } else {
      messages.next[last] = message;
    }
    queuePairs.lastMessage[qp] = message;
    if (queuePairs.arrivingMessage[qp] === NONE) this.expect(qp, message);
    this.activate(qp);
  }

  receive(packet: number, port: number): void {
    const at = packet << ROW;
    const { words } = this.packets;
    const kind = words[at]! & KIND_MASK;
    if (kind === PacketKind.pause) {
      if (this.pauses.take(packet, port)) this.transmit(this.ports.node[port]!);
      return;
    }
    const qp = words[at + Word.queuePair]!;
    const isForUs = words[at + Word.generation] === this.queuePairs.generation[qp];
    if (!isForUs) this.packets.release(packet);
    else if (kind === PacketKind.data) this.receiveData(qp, packet);
    else this.receiveAnswer(qp, kind, packet);
  }

  private receiveData(qp: number, packet: number): void {
    const at = packet << ROW;
    const { words } = this.packets;
    const expected = this.queuePairs.expected[qp]!;
    const psn = wholePsn(words[at + Word.psn]!, expected);
    const marked = (words[at]! & Flag.congestion) !== 0;
    const isAgain = (words[at]! & Flag.again) !== 0;
    this.packets.release(packet);
    if (psn !== expected) this.unexpected(qp);
    if (psn > this.queuePairs.furthest[qp]!) this.queuePairs.furthest[qp] = psn;
    else if (!isAgain) this.overtaken++;
    const response = this.reliability.arrived(qp, psn);
    const { notification } = this.congestion;
    const echoes = notification.kind === 'echo';
    if (marked && !echoes) this.notice(qp, notification.interval);
    if (response === Response.none) return;
    const complaint = response === Response.complain;
    if (complaint) this.complaints++;
    // The ns-3 models, from which the echo is, let a NAK stand for congestion as well.
    const echo = echoes && (marked || complaint) ? Flag.echo | (marked ? 0 : Flag.unmarked) : 0;
    this.answer(qp, (complaint ? PacketKind.nack : PacketKind.ack) | echo, psn);
    if (this.queuePairs.expected[qp]! >= this.queuePairs.arrivingEnd[qp]!) this.deliver(qp);
  }

  private unexpected(qp: number): void {
    this.outOfOrder++;
    this.queuePairs.outOfOrder[qp] = this.queuePairs.outOfOrder[qp]! + 1;
  }

  /** The message that the receiver has to get next. */
  private expect(qp: number, message: number): void {
    this.queuePairs.arrivingMessage[qp] = message;
    this.queuePairs.arrivingEnd[qp] = message === NONE ? Number.POSITIVE_INFINITY : this.messages.end[message]!;
  }

  /** The receiver has messages whole. */
  private deliver(qp: number): void {
    const { queuePairs, messages } = this;
    while (queuePairs.expected[qp]! >= queuePairs.arrivingEnd[qp]!) {
      const message = queuePairs.arrivingMessage[qp]!;
      this.expect(qp, messages.next[message]!);
      this.delivered(qp, messages.tag[message]!);
    }
  }

  /** Tells the sender of congestion by a CNP, if it was not told lately (DCQCN's notification point). */
  private notice(qp: number, interval: number): void {
    if (this.events.now < this.noticeAt[qp]!) return;
    this.noticeAt[qp] = this.events.now + interval;
    this.answer(qp, PacketKind.cnp, 0);
  }

  private answer(qp: number, kind: number, cause: number): void {
    const { queuePairs, packets } = this;
    const packet = packets.allocate();
    const { words } = packets;
    const at = packet << ROW;
    const serviceClass = kind === PacketKind.cnp ? this.classes.notice : this.classes.acknowledgement;
    words[at] = kind | (serviceClass << CLASS_SHIFT);
    words[at + Word.queuePair] = qp;
    words[at + Word.psn] = queuePairs.expected[qp]! & PSN_MASK;
    words[at + Word.bytes] = this.sizes.answer;
    words[at + Word.destination] = queuePairs.sourceAddress[qp]!;
    words[at + Word.generation] = queuePairs.generation[qp]!;
    packets.clearScheme(at);
    words[at + Word.cause] = cause & PSN_MASK;
    const host = queuePairs.destination[qp]!;
    this.ports.enqueue(this.portOf[host]!, serviceClass, packet);
    this.transmit(host);
  }

  private receiveAnswer(qp: number, kind: number, packet: number): void {
    const at = packet << ROW;
    const { words } = this.packets;
    const oldest = this.queuePairs.unacknowledged[qp]!;
    const psn = wholePsn(words[at + Word.psn]!, oldest);
    const cause = wholePsn(words[at + Word.cause]!, oldest);
    const echo = (words[at]! & Flag.echo) !== 0;
    if ((words[at]! & Flag.unmarked) !== 0) this.complaintNotices++;
    this.packets.release(packet);
    if (kind !== PacketKind.cnp) this.acknowledge(qp, psn, kind === PacketKind.nack, cause);
    if (echo || kind === PacketKind.cnp) {
      this.congestionNotices++;
      this.congestion.congested(qp);
    }
    if (this.nextPacket(qp) >= 0) this.activate(qp);
  }

  private acknowledge(qp: number, psn: number, complaint: boolean, cause: number): void {
    const { queuePairs } = this;
    const { generation } = queuePairs;
    const before = generation[qp];
    if (psn > queuePairs.unacknowledged[qp]!) {
      queuePairs.unacknowledged[qp] = psn;
      if (psn < queuePairs.highest[qp]!) this.watch(qp);
      this.complete(qp, psn);
      if (queuePairs.generation[qp] !== before) return;
    }
    this.reliability.answered(qp, complaint, cause);
  }

  /** Messages of which all is acknowledged are done. */
  private complete(qp: number, psn: number): void {
    const { queuePairs, messages } = this;
    for (;;) {
      const message = queuePairs.oldestMessage[qp]!;
      if (message === NONE || messages.end[message]! > psn) return;
      const next = messages.next[message]!;
      if (queuePairs.nextMessage[qp] === message) queuePairs.nextMessage[qp] = next;
      queuePairs.oldestMessage[qp] = next;
      if (next === NONE) queuePairs.lastMessage[qp] = NONE;
      const tag = messages.tag[message]!;
      messages.remove(message);
      this.completed(qp, tag);
      if (next === NONE) return;
    }
  }

  /** Puts a queue pair into the ring of its NIC, behind all others, and lets the NIC look. */
  private activate(qp: number): void {
    const { queuePairs, turn } = this;
    const host = queuePairs.source[qp]!;
    if (queuePairs.inRing[qp] === 0) {
      queuePairs.inRing[qp] = 1;
      const last = turn[host]!;
      if (last === NONE) queuePairs.ring[qp] = qp;
      else {
        queuePairs.ring[qp] = queuePairs.ring[last]!;
        queuePairs.ring[last] = qp;
      }
      turn[host] = qp;
    }
    this.transmit(host);
  }

  /** The host's port is free, or something to send has come. */
  transmit(host: number): void {
    const { ports, wire } = this;
    const port = this.portOf[host]!;
    if (ports.waking[port] === 1) return;
    if (this.events.now < ports.freeAt[port]!) {
      wire.wake(port);
      return;
    }
    if (ports.up[port] === 0) return;
    const answers = ports.nextClass(port);
    if (answers >= 0) {
      wire.put(port, ports.dequeue(port, answers));
      if (ports.waiting[port] !== 0 || this.turn[host] !== NONE) wire.wake(port);
      return;
    }
    if (this.turn[host] !== NONE) this.transmitInTurn(host, port);
  }

  /** The packet that a queue pair sends next, if it sends any. One may be closed by the very answer that asked for packets again. */
  private nextPacket(qp: number): number {
    return this.queuePairs.closed[qp] === 1 ? NONE : this.reliability.nextPacket(qp);
  }

  /** Goes once round the ring of queue pairs and sends a packet of the first that may. */
  private transmitInTurn(host: number, port: number): void {
    const { queuePairs, turn, events } = this;
    let before = turn[host]!;
    let earliest = Number.POSITIVE_INFINITY;
    const end = before;
    for (;;) {
      const qp = queuePairs.ring[before]!;
      const psn = this.nextPacket(qp);
      const isEnd = qp === end;
      if (psn < 0) {
        this.leaveRing(host, before, qp);
        if (turn[host] === NONE || isEnd) break;
        continue;
      }
      const available = queuePairs.availableAt[qp]!;
      if ((this.ports.paused[port]! & (1 << queuePairs.serviceClass[qp]!)) === 0) {
        if (available <= events.now) {
          turn[host] = qp;
          this.sendData(qp, psn, port);
          this.wire.wake(port);
          return;
        }
        if (available < earliest) earliest = available;
      }
      if (isEnd) break;
      before = qp;
    }
    if (earliest !== Number.POSITIVE_INFINITY) this.lookAgain(host, earliest);
  }

  private leaveRing(host: number, before: number, qp: number): void {
    const { queuePairs } = this;
    queuePairs.leftRing(qp);
    if (before === qp) {
      this.turn[host] = NONE;
      return;
    }
    queuePairs.ring[before] = queuePairs.ring[qp]!;
    if (this.turn[host] === qp) this.turn[host] = before;
  }

  private lookAgain(host: number, time: number): void {
    const ready = this.readyAt[host]!;
    if (ready > this.events.now && ready <= time) return;
    this.readyAt[host] = time;
    this.events.schedule(time, EventKind.hostReady, host, 0);
  }

  private sendData(qp: number, psn: number, port: number): void {
    const { queuePairs, packets, sizes } = this;
    const packet = packets.allocate();
    const { words } = packets;
    const at = packet << ROW;
    const message = this.messageOf(qp, psn);
    const isLast = psn + 1 === this.messages.end[message];
    const bytes = sizes.overhead + (isLast ? this.messages.lastOctets[message]! : sizes.payload);
    const place = (psn === this.messages.start[message] ? Flag.first : 0) | (isLast ? Flag.last : 0);
    words[at] = PacketKind.data | Flag.ecnCapable | place | (queuePairs.serviceClass[qp]! << CLASS_SHIFT);
    words[at + Word.queuePair] = qp;
    words[at + Word.psn] = psn & PSN_MASK;
    words[at + Word.bytes] = bytes;
    words[at + Word.destination] = queuePairs.destinationAddress[qp]!;
    words[at + Word.generation] = queuePairs.generation[qp]!;
    packets.clearScheme(at);
    this.dataPackets++;
    this.dataOctets += bytes;
    if (psn < queuePairs.highest[qp]!) {
      words[at] = words[at]! | Flag.again;
      this.sentAgain(qp, bytes);
    } else queuePairs.highest[qp] = psn + 1;
    this.wire.put(port, packet);
    queuePairs.availableAt[qp] = this.events.now + Math.round(bytes * queuePairs.psPerOctet[qp]!);
    this.reliability.sent(qp, psn);
    this.congestion.sent(qp, bytes);
    this.watch(qp);
  }

  private sentAgain(qp: number, bytes: number): void {
    this.resent++;
    this.resentOctets += bytes;
    this.queuePairs.resent[qp] = this.queuePairs.resent[qp]! + 1;
  }

  /** The message that a packet is of. */
  private messageOf(qp: number, psn: number): number {
    const { queuePairs, messages } = this;
    let message = psn < queuePairs.located[qp]! ? queuePairs.oldestMessage[qp]! : queuePairs.nextMessage[qp]!;
    while (messages.end[message]! <= psn) message = messages.next[message]!;
    queuePairs.nextMessage[qp] = message;
    queuePairs.located[qp] = psn;
    return message;
  }

  /** Waits for an acknowledgement, from now on. One event at a time looks whether the wait is over. */
  private watch(qp: number): void {
    const { queuePairs } = this;
    const timeoutAt = this.events.now + this.reliability.timeout(qp);
    queuePairs.timeoutAt[qp] = timeoutAt;
    const timerAt = queuePairs.timerAt[qp]!;
    if (timerAt !== 0 && timerAt <= timeoutAt) return;
    queuePairs.timerAt[qp] = timeoutAt;
    this.events.schedule(timeoutAt, EventKind.queuePair, qp, queuePairs.timerOf(qp, TIMEOUT));
  }

  /** A timer of a queue pair, as `QueuePairs.timerOf` names it. */
  timer(qp: number, timer: number): void {
    if (!this.queuePairs.isCurrent(qp, timer)) return;
    if ((timer & 7) !== TIMEOUT) {
      this.congestion.timer(qp, timer & 7);
      return;
    }
    const { queuePairs, events } = this;
    // One that was put off for an earlier one.
    if (queuePairs.timerAt[qp] !== events.now) return;
    queuePairs.timerAt[qp] = 0;
    if (queuePairs.unacknowledged[qp] === queuePairs.highest[qp]) return;
    const timeoutAt = queuePairs.timeoutAt[qp]!;
    if (events.now < timeoutAt) {
      queuePairs.timerAt[qp] = timeoutAt;
      events.schedule(timeoutAt, EventKind.queuePair, qp, timer);
      return;
    }
    this.timeouts++;
    this.reliability.timedOut(qp);
    this.activate(qp);
    this.watch(qp);
  }
}
