/** Flowsets that the eBPF plane moved, from its ring; what the ring had no room for is known by the counters. */
import type { Move } from '../../../core/ebpf-plane/tables.js';
import type { ControlEvent } from '../../../edge/control/events.js';
import type { EventSource } from './event-hub.js';

export type MovedPort = Extract<ControlEvent, { kind: 'move' }>['from'];

export interface MovingPlane {
  /** Since the call before. */
  takeMoves(): readonly Move[];
  /** Of all ports, since they are there. */
  moves(): bigint;
  port(number: number): MovedPort;
  /** Nanoseconds of pause after which no packet is overtaken; undefined where that is not known. */
  readonly inactivity: number | undefined;
}

export interface EventTime {
  now(): string;
  /** Of nanoseconds of the monotonic clock. */
  at(nanoseconds: bigint): string;
}

export class MoveEvents implements EventSource {
  #counted = 0n;
  /** Of what was counted: events that were told, or told to be lost. */
  #told = 0n;

  constructor(
    /** Undefined while there is none. */
    private readonly plane: () => MovingPlane | undefined,
    private readonly time: EventTime,
  ) {}

  /** What lies in the ring is of before. */
  begin(): void {
    this.plane()?.takeMoves();
    this.#counted = this.plane()?.moves() ?? 0n;
    this.#told = this.#counted;
  }

  look(): readonly ControlEvent[] {
    const plane = this.plane();
    if (!plane) return [];
    // First of all: what is counted is in the ring by now, or was lost.
    const counted = plane.moves();
    const moves = plane.takeMoves();
    const lost = counted - this.#told - BigInt(moves.length);
    // A port that goes takes its counter along.
    const isWhole = counted >= this.#counted;
    this.#counted = counted;
    this.#told = isWhole && lost <= 0n ? this.#told + BigInt(moves.length) : counted;
    const events = moves.map((move) => this.#event(plane, move));
    if (!isWhole || lost <= 0n) return events;
    return [...events, { kind: 'lost', at: this.time.now(), of: 'move', events: Number(lost) }];
  }

  end(): void {}

  #event(plane: MovingPlane, { time, gap, flowset, from, to }: Move): ControlEvent {
    const pause = Number(gap);
    return {
      ...{ kind: 'move', at: this.time.at(time), flowset, from: plane.port(from), to: plane.port(to) },
      ...{ pauseMs: pause / 1e6, reorderRisk: plane.inactivity === undefined || pause <= plane.inactivity },
    };
  }
}
