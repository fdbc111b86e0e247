/**
 * ConWeave at the leaf of a flow's destination: answers requests and TAILs, tells of marked packets by NOTIFY, and keeps what overtook its TAIL until
 * that has come, or must have (SIGCOMM 2023, section 3.3). When it must have is reckoned from the last packet on the old path: it took so long, the
 * TAIL was sent so much later.
 */
import { grown } from '../../../core/net/grown.js';
import { Flag, type Packets, ROW, Word } from '../../network/packets.js';
import type { SchemeContext } from '../scheme.js';
import { between, CONTROL_BYTES, ControlKind, ControlWord, DataFlag, DataWord } from './header.js';
import type { ConWeaveParameters } from './parameters.js';
import { ReorderQueues } from './reorder-queues.js';

const NONE = -1;

export class ConWeaveDestination {
  readonly queues: ReorderQueues;
  /** Packets that were kept, queues that a TAIL and that the clock let go, packets that found no queue. */
  kept = 0;
  releasedByTail = 0;
  releasedByClock = 0;
  withoutQueue = 0;
  replies = 0;
  clears = 0;
  notices = 0;
  private epoch = new Int32Array(64);
  /** 1: the TAIL of this epoch has come. */
  private phase = new Uint8Array(64);
  /** Of the last packet on the old path in this epoch: whether there was one, when it was sent and when it came. */
  private hasOld = new Uint8Array(64);
  private oldSentAt = new Int32Array(64);
  private oldCameAt = new Float64Array(64);
  private tailAt = new Int32Array(64);
  private readonly context: SchemeContext;
  private readonly packets: Packets;
  private readonly parameters: ConWeaveParameters;

  constructor(context: SchemeContext, parameters: ConWeaveParameters) {
    this.context = context;
    this.packets = context.packets;
    this.parameters = parameters;
    this.queues = new ReorderQueues(context, parameters.queues);
    context.queuePairs.growth.push((length) => this.grow(length));
  }

  opened(qp: number): void {
    this.discardKept(qp);
    this.epoch[qp] = 0;
    this.phase[qp] = 0;
    this.hasOld[qp] = 0;
  }

  /** A data packet comes to its leaf; false: it is kept. */
  arrived(node: number, packet: number): boolean {
    const { words } = this.packets;
    const at = packet << ROW;
    const qp = words[at + Word.queuePair]!;
    if (words[at + Word.generation] !== this.context.queuePairs.generation[qp]) return true;
    const flags = words[at + DataWord.flags]!;
    const epoch = words[at + DataWord.epoch]!;
    if (epoch < this.epoch[qp]!) return true;
    if (epoch > this.epoch[qp]!) this.begin(node, qp, epoch);
    const isRerouted = (flags & DataFlag.rerouted) !== 0;
    if (isRerouted || (flags & DataFlag.tail) !== 0) this.tailAt[qp] = words[at + DataWord.tailAt]!;
    const isEarly = isRerouted && (this.phase[qp] === 0 || this.queues.isOpen(qp));
    if (!isRerouted) this.cameByOldPath(qp, flags, words[at + DataWord.sentAt]!);
    this.answer(node, packet, flags);
    return !(isEarly && this.keep(qp, packet));
  }

  /** An event of a reorder queue. */
  timer(qp: number, turn: number): void {
    if (!this.queues.isDue(qp, turn)) return;
    if (this.phase[qp] === 1) this.releasedByTail++;
    else this.releasedByClock++;
    this.release(qp);
  }

  /** A new epoch: whatever the old one still keeps was sent before. */
  private begin(node: number, qp: number, epoch: number): void {
    if (this.queues.isOpen(qp)) {
      this.releasedByClock++;
      this.forwardKept(node, qp);
    }
    this.epoch[qp] = epoch;
    this.phase[qp] = 0;
    this.hasOld[qp] = 0;
  }

  private cameByOldPath(qp: number, flags: number, sentAt: number): void {
    const { now } = this.context.events;
    this.hasOld[qp] = 1;
    this.oldSentAt[qp] = sentAt;
    this.oldCameAt[qp] = now;
    const isTail = (flags & DataFlag.tail) !== 0;
    if (isTail) this.phase[qp] = 1;
    if (!this.queues.isOpen(qp)) return;
    // The TAIL itself goes on first: its queue is let go by an event of the same moment.
    this.queues.releaseAt(qp, isTail ? now : this.tailDue(qp));
  }

  private keep(qp: number, packet: number): boolean {
    const isFirst = !this.queues.isOpen(qp);
    if (!this.queues.keep(qp, packet)) {
      this.withoutQueue++;
      return false;
    }
    this.kept++;
    if (isFirst) this.queues.releaseAt(qp, this.tailDue(qp));
    return true;
  }

  /** When the TAIL must have come. */
  private tailDue(qp: number): number {
    const { resumeDefault, resumeExtra } = this.parameters;
    if (this.hasOld[qp] === 0) return this.context.events.now + resumeDefault + resumeExtra;
    const gap = Math.max(0, between(this.oldSentAt[qp]!, this.tailAt[qp]!));
    return this.oldCameAt[qp]! + gap + resumeExtra;
  }

  private release(qp: number): void {
    this.phase[qp] = 1;
    const { forwarding, queuePairs } = this.context;
    this.forwardKept(forwarding.leafOf[queuePairs.destination[qp]!]!, qp);
  }

  private forwardKept(node: number, qp: number): void {
    let packet = this.queues.take(qp);
    while (packet !== NONE) {
      const next = this.packets.words[(packet << ROW) + Word.next]!;
      this.context.forward(node, packet);
      packet = next;
    }
  }

  private discardKept(qp: number): void {
    let packet = this.queues.take(qp);
    while (packet !== NONE) {
      const next = this.packets.words[(packet << ROW) + Word.next]!;
      this.context.discard(packet);
      packet = next;
    }
  }

  private answer(node: number, packet: number, flags: number): void {
    const isMarked = (this.packets.words[packet << ROW]! & Flag.congestion) !== 0;
    if (isMarked) {
      this.notices++;
      this.tell(node, packet, ControlKind.notify);
    }
    if ((flags & DataFlag.request) !== 0) {
      this.replies++;
      this.tell(node, packet, ControlKind.reply);
    }
    if ((flags & DataFlag.tail) !== 0) {
      this.clears++;
      this.tell(node, packet, ControlKind.clear);
    }
  }

  /** Sends a control packet about a data packet to the leaf it came from. */
  private tell(node: number, packet: number, kind: number): void {
    const control = this.context.controlPacket(CONTROL_BYTES);
    const { words } = this.packets;
    const from = packet << ROW;
    const to = control << ROW;
    const qp = words[from + Word.queuePair]!;
    words[to + Word.queuePair] = qp;
    words[to + Word.generation] = words[from + Word.generation]!;
    words[to + Word.destination] = this.context.queuePairs.sourceAddress[qp]!;
    words[to + ControlWord.kind] = kind;
    words[to + ControlWord.epoch] = words[from + DataWord.epoch]!;
    words[to + ControlWord.path] = words[from + DataWord.path]!;
    this.context.forward(node, control);
  }

  private grow(length: number): void {
    this.epoch = grown(this.epoch, length);
    this.phase = grown(this.phase, length);
    this.hasOld = grown(this.hasOld, length);
    this.oldSentAt = grown(this.oldSentAt, length);
    this.oldCameAt = grown(this.oldCameAt, length);
    this.tailAt = grown(this.tailAt, length);
  }
}
