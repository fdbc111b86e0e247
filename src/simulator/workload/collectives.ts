/** Collective operations of any number of groups at once (a ring for each rail, or one for all), each from its start to its last message. */
import { EventKind } from '../engine/event-kind.js';
import type { FabricSimulation, Workload } from '../network/fabric-simulation.js';
import { type ConnectionSettings, Connections } from './connections.js';
import { checkOperation, GroupOperation, type OperationSettings } from './group-operation.js';

export interface CollectiveJob extends OperationSettings {
  /** Picoseconds. */
  readonly start: number;
}

export class Collectives implements Workload {
  /** Of each job how long it took, picoseconds; NaN while it is not done. */
  readonly completionTimes: Float64Array;
  private left: number;
  private readonly simulation: FabricSimulation;
  private readonly connections: Connections;
  private readonly jobs: readonly CollectiveJob[];

  constructor(simulation: FabricSimulation, jobs: readonly CollectiveJob[], settings: ConnectionSettings) {
    for (const job of jobs) checkOperation(job);
    this.simulation = simulation;
    this.jobs = jobs;
    this.connections = new Connections(simulation, settings);
    this.completionTimes = new Float64Array(jobs.length).fill(Number.NaN);
    this.left = jobs.length;
  }

  get isDone(): boolean {
    return this.left === 0;
  }

  start(): void {
    this.jobs.forEach(({ start }, index) => {
      this.simulation.events.schedule(start, EventKind.workload, index, 0);
    });
  }

  timer(index: number): void {
    const { connections, simulation } = this;
    const job = this.jobs[index]!;
    const operation = new GroupOperation(
      job,
      (source, destination, octets, whole) => connections.send(source, destination, octets, whole),
      () => {
        this.completionTimes[index] = simulation.events.now - job.start;
        this.left--;
      },
    );
    operation.start();
  }

  delivered(_qp: number, number: number): void {
    this.connections.delivered(number);
  }

  completed(): void {}
}
