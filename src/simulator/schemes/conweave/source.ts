/**
 * ConWeave at the leaf of a flow's source: measures the path by one request an epoch, and when the answer is late moves the flow to a path that no
 * NOTIFY has called busy, at most one move at a time (SIGCOMM 2023, section 3.2). All is decided when a data packet comes: no timers.
 */
import { grown } from '../../../core/net/grown.js';
import { type Packets, ROW, Word } from '../../network/packets.js';
import type { Paths } from '../parts/paths.js';
import type { SchemeContext } from '../scheme.js';
import { ControlKind, ControlWord, DataFlag, DataWord, timestamp } from './header.js';
import type { ConWeaveParameters } from './parameters.js';

const NONE = -1;
const NEVER = Number.POSITIVE_INFINITY;

/** What a packet is to its epoch. */
const Step = { usual: 0, expired: 1, stabilised: 2, late: 3 } as const;

export class ConWeaveSource {
  /** Flows that were moved to another path, requests, answers in time, and marks of busy paths. */
  moves = 0;
  requests = 0;
  repliesInTime = 0;
  notices = 0;
  private epoch = new Int32Array(64);
  /** 1: packets go behind a TAIL. */
  private phase = new Uint8Array(64);
  private path = new Int32Array(64);
  /** When the answer to a request is late. */
  private deadline = new Float64Array(64);
  private lastActive = new Float64Array(64);
  /** 1: the path is good (an answer was in time), or the last move is over (a CLEAR came): a new epoch may begin. */
  private stabilised = new Uint8Array(64);
  private tailAt = new Int32Array(64);
  /** By path: until when it counts as busy. */
  private busyUntil = new Float64Array(64);
  private readonly context: SchemeContext;
  private readonly packets: Packets;
  private readonly paths: Paths;
  private readonly parameters: ConWeaveParameters;

  constructor(context: SchemeContext, paths: Paths, parameters: ConWeaveParameters) {
    this.context = context;
    this.packets = context.packets;
    this.paths = paths;
    this.parameters = parameters;
    context.queuePairs.growth.push((length) => this.grow(length));
  }

  opened(qp: number): void {
    this.epoch[qp] = 0;
    this.phase[qp] = 0;
    this.path[qp] = NONE;
    this.deadline[qp] = NEVER;
    this.lastActive[qp] = Number.NEGATIVE_INFINITY;
    this.stabilised[qp] = 0;
    this.tailAt[qp] = 0;
  }

  /** Gives a data packet its path and the rest of its header. */
  label(packet: number, node: number, group: number): void {
    const { words } = this.packets;
    const at = packet << ROW;
    const qp = words[at + Word.queuePair]!;
    const { now } = this.context.events;
    const candidates = this.paths.to(node, words[at + Word.destination]!);
    const step = this.stepOf(qp, node, group);
    this.lastActive[qp] = now;
    const good = this.sample(candidates);
    let flags: number = DataFlag.present;
    if (step === Step.expired || step === Step.stabilised) {
      if (step === Step.expired) this.settle(qp, good, candidates);
      this.begin(qp);
      flags |= DataFlag.request;
    } else if (this.phase[qp] === 1) {
      flags |= DataFlag.rerouted;
    }
    words[at + DataWord.path] = this.path[qp]!;
    if (step === Step.late) {
      flags |= DataFlag.tail;
      this.leave(qp, good);
    }
    words[at + DataWord.flags] = flags;
    words[at + DataWord.epoch] = this.epoch[qp]!;
    words[at + DataWord.sentAt] = timestamp(now);
    words[at + DataWord.tailAt] = this.tailAt[qp]!;
  }

  /** A control packet has come from the other leaf. */
  told(packet: number): void {
    const { words } = this.packets;
    const at = packet << ROW;
    const kind = words[at + ControlWord.kind]!;
    if (kind === ControlKind.notify) {
      this.markBusy(words[at + ControlWord.path]!);
      return;
    }
    const qp = words[at + Word.queuePair]!;
    const isCurrent =
      words[at + Word.generation] === this.context.queuePairs.generation[qp] &&
      words[at + ControlWord.epoch] === this.epoch[qp];
    if (!isCurrent) return;
    if (kind === ControlKind.clear && this.phase[qp] === 1) this.stabilise(qp);
    if (kind === ControlKind.reply && this.phase[qp] === 0 && this.context.events.now < this.deadline[qp]!) {
      this.repliesInTime++;
      this.stabilise(qp);
    }
  }

  private stepOf(qp: number, node: number, group: number): number {
    const { now } = this.context.events;
    const path = this.path[qp]!;
    const isGone = path === NONE || this.paths.portAt(path, node, group) === NONE;
    if (isGone || this.lastActive[qp]! + this.parameters.inactive < now) return Step.expired;
    if (this.stabilised[qp] === 1) return Step.stabilised;
    return this.deadline[qp]! < now ? Step.late : Step.usual;
  }

  /** After a silence the path changes at once: nothing is on the way that could be overtaken. */
  private settle(qp: number, good: number, candidates: Int32Array): void {
    const before = this.path[qp]!;
    const isGone = !candidates.includes(before);
    if (good === NONE && !isGone) return;
    const path = good === NONE ? this.draw(candidates) : good;
    if (before !== NONE && before !== path) this.moves++;
    this.path[qp] = path;
  }

  private begin(qp: number): void {
    this.requests++;
    this.stabilised[qp] = 0;
    this.epoch[qp] = this.epoch[qp]! + 1;
    this.phase[qp] = 0;
    this.tailAt[qp] = 0;
    const { replyExtra } = this.parameters;
    this.deadline[qp] = this.context.events.now + this.paths.roundTrip[this.path[qp]!]! + replyExtra;
  }

  /** The packet at hand is the last on its path. */
  private leave(qp: number, good: number): void {
    this.phase[qp] = 1;
    this.deadline[qp] = NEVER;
    this.tailAt[qp] = timestamp(this.context.events.now);
    if (good === NONE) return;
    if (good !== this.path[qp]) this.moves++;
    this.path[qp] = good;
  }

  private stabilise(qp: number): void {
    this.stabilised[qp] = 1;
    this.deadline[qp] = NEVER;
  }

  /** The first of two random paths that is not busy; -1 when both are. */
  private sample(candidates: Int32Array): number {
    const one = this.draw(candidates);
    const other = this.draw(candidates);
    if (!this.isBusy(one)) return one;
    return this.isBusy(other) ? NONE : other;
  }

  private draw(candidates: Int32Array): number {
    return candidates[Math.floor(this.context.random() * candidates.length)]!;
  }

  private isBusy(path: number): boolean {
    return path < this.busyUntil.length && this.busyUntil[path]! > this.context.events.now;
  }

  private markBusy(path: number): void {
    this.notices++;
    if (path >= this.busyUntil.length) this.busyUntil = grown(this.busyUntil, path + 1);
    this.busyUntil[path] = this.context.events.now + this.parameters.pathBusy;
  }

  private grow(length: number): void {
    this.epoch = grown(this.epoch, length);
    this.phase = grown(this.phase, length);
    this.path = grown(this.path, length);
    this.deadline = grown(this.deadline, length);
    this.lastActive = grown(this.lastActive, length);
    this.stabilised = grown(this.stabilised, length);
    this.tailAt = grown(this.tailAt, length);
  }
}
