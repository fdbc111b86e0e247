/**
 * Flows that go on beside a job, which shares its links with them: the run is the job's, and ends with it; the flows are counted by themselves. Both post
 * messages and have timers on one simulation, so what is the background's is told by numbers below 0.
 */
import { EventKind } from '../engine/event-kind.js';
import type { FabricSimulation, Workload } from '../network/fabric-simulation.js';
import type { FlowList, FlowSender } from './flow-list.js';

const BACKGROUND = -1;

/** What the background's list of flows is sent by, instead of the simulation itself. */
export function backgroundSender({ events, hosts, queuePairs }: FabricSimulation): FlowSender {
  return {
    queuePairs,
    events: {
      get now() {
        return events.now;
      },
      schedule: (time) => events.schedule(time, EventKind.workload, BACKGROUND, 0),
    },
    hosts: {
      open: (ends) => hosts.open(ends),
      post: (qp, octets, tag) => hosts.post(qp, octets, ~tag),
    },
  };
}

export class WithBackground implements Workload {
  constructor(
    private readonly job: Workload,
    private readonly background: FlowList,
  ) {}

  get isDone(): boolean {
    return this.job.isDone;
  }

  start(): void {
    this.background.start();
    this.job.start();
  }

  timer(first: number, second: number): void {
    if (first === BACKGROUND) this.background.timer();
    else this.job.timer(first, second);
  }

  completed(qp: number, tag: number): void {
    if (tag < 0) this.background.completed(qp, ~tag);
    else this.job.completed(qp, tag);
  }

  delivered(qp: number, tag: number): void {
    if (tag >= 0) this.job.delivered?.(qp, tag);
  }
}
