/** Flows of a list, each from its start to the acknowledgement of its last packet: a queue pair of its own with one message, or several (`Cut`). */
import { EventKind } from '../engine/event-kind.js';
import type { EventQueue } from '../engine/event-queue.js';
import type { Hosts } from '../hosts/hosts.js';
import type { Endpoints, QueuePairs } from '../hosts/queue-pairs.js';
import type { Workload } from '../network/fabric-simulation.js';

/** So many octets from one host to another, on a queue pair of its own. */
export interface Flow {
  readonly source: number;
  readonly destination: number;
  readonly octets: number;
  /** Picoseconds. */
  readonly start: number;
  /** What its packets are marked with, if not with the code point of RDMA: a DSCP, or of tagged frames a priority (IEEE 802.1Q). */
  readonly dscp?: number;
  readonly pcp?: number;
}

/** The ends of a flow's queue pair. */
export type Addressing = (flow: Flow, index: number) => Endpoints;

/** A part of a flow, on a queue pair of its own. */
export interface Piece {
  readonly ends: Endpoints;
  readonly octets: number;
}

/** How a flow is sent: its pieces, all at once; it is done when all of them are. */
export type Cut = (flow: Flow, index: number) => readonly Piece[];

/** Flows in one piece. */
export function whole(addressing: Addressing): Cut {
  return (flow, index) => [{ ends: addressing(flow, index), octets: flow.octets }];
}

/** What flows need of a simulation. */
export interface FlowSender {
  readonly events: Pick<EventQueue, 'now' | 'schedule'>;
  readonly hosts: Pick<Hosts, 'open' | 'post'>;
  readonly queuePairs: Pick<QueuePairs, 'close'>;
}

export class FlowList implements Workload {
  /** Of each flow how long it took, picoseconds; NaN while it is not done. */
  readonly completionTimes: Float64Array;
  /** Flows that have not ended. */
  left: number;
  /** Called when a queue pair of a flow has been opened, and before it is closed. */
  opened: (qp: number, flow: number) => void = () => {};
  ended: (qp: number, flow: number) => void = () => {};
  private nextFlow = 0;
  private readonly order: readonly number[];
  private readonly flows: readonly Flow[];
  private readonly simulation: FlowSender;
  private readonly cut: Cut;
  /** Pieces of each flow that are under way. */
  private readonly open: Int32Array;

  constructor(simulation: FlowSender, flows: readonly Flow[], cut: Cut) {
    this.simulation = simulation;
    this.flows = flows;
    this.cut = cut;
    this.open = new Int32Array(flows.length);
    this.left = flows.length;
    this.completionTimes = new Float64Array(flows.length).fill(Number.NaN);
    this.order = flows.map((_, index) => index).sort((a, b) => flows[a]!.start - flows[b]!.start || a - b);
  }

  get isDone(): boolean {
    return this.left === 0;
  }

  start(): void {
    this.scheduleNext();
  }

  timer(): void {
    const { events, hosts } = this.simulation;
    while (this.nextFlow < this.order.length) {
      const index = this.order[this.nextFlow]!;
      const flow = this.flows[index]!;
      if (flow.start > events.now) break;
      this.nextFlow++;
      const pieces = this.cut(flow, index);
      this.open[index] = pieces.length;
      for (const { ends, octets } of pieces) {
        const qp = hosts.open(ends);
        this.opened(qp, index);
        hosts.post(qp, octets, index);
      }
    }
    this.scheduleNext();
  }

  completed(qp: number, tag: number): void {
    this.ended(qp, tag);
    this.simulation.queuePairs.close(qp);
    this.open[tag] = this.open[tag]! - 1;
    if (this.open[tag] !== 0) return;
    this.completionTimes[tag] = this.simulation.events.now - this.flows[tag]!.start;
    this.left--;
  }

  private scheduleNext(): void {
    const index = this.order[this.nextFlow];
    if (index === undefined) return;
    this.simulation.events.schedule(this.flows[index]!.start, EventKind.workload, 0, 0);
  }
}
