/**
 * A training job: a pipeline of stages, each of which several replicas have (data parallelism). In an iteration each replica sends its micro-batches'
 * activations forward from stage to stage, then their gradients back (GPipe's order: all forward first), and then the replicas of each stage AllReduce
 * the stage's gradients. Computing is time that passes.
 */
import { EventKind } from '../engine/event-kind.js';
import { SimulationInputError } from '../input-error.js';
import type { FabricSimulation, Workload } from '../network/fabric-simulation.js';
import { type ConnectionSettings, Connections } from './connections.js';
import { GroupOperation } from './group-operation.js';

export interface TrainingJob {
  /** Hosts, by stage and then by replica. */
  readonly stages: readonly (readonly number[])[];
  readonly microBatches: number;
  /** Octets of a micro-batch between stages, in either direction, and of a stage's gradients. */
  readonly activations: number;
  readonly gradients: number;
  /** Picoseconds that a stage computes for a micro-batch, forward and backward. */
  readonly forward: number;
  readonly backward: number;
  readonly iterations: number;
}

const FORWARD = 0;
const BACKWARD = 1;

/** A replica of a stage: how many micro-batches it has and has done, in either direction. */
interface Worker {
  readonly stage: number;
  readonly replica: number;
  readonly host: number;
  readonly ready: [forward: number, backward: number];
  readonly done: [forward: number, backward: number];
  busy: boolean;
}

export class Training implements Workload {
  /** How long each iteration took, picoseconds. */
  readonly iterationTimes: number[] = [];
  private readonly simulation: FabricSimulation;
  private readonly connections: Connections;
  private readonly job: TrainingJob;
  private readonly workers: readonly Worker[];
  private readonly replicas: number;
  private began = 0;
  /** Stages whose gradients are not yet reduced, and of each the replicas that still compute. */
  private stagesLeft = 0;
  private readonly replicasLeft: number[];

  constructor(simulation: FabricSimulation, job: TrainingJob, settings: ConnectionSettings) {
    checkTraining(job);
    this.simulation = simulation;
    this.job = job;
    this.connections = new Connections(simulation, settings);
    this.replicas = job.stages[0]!.length;
    this.workers = job.stages.flatMap((hosts, stage) =>
      hosts.map((host, replica): Worker => ({ stage, replica, host, ready: [0, 0], done: [0, 0], busy: false })),
    );
    this.replicasLeft = job.stages.map(() => 0);
  }

  get isDone(): boolean {
    return this.iterationTimes.length === this.job.iterations;
  }

  start(): void {
    this.began = this.simulation.events.now;
    this.stagesLeft = this.job.stages.length;
    this.replicasLeft.fill(this.replicas);
    for (const worker of this.workers) {
      worker.ready.fill(0);
      worker.done.fill(0);
      if (worker.stage === 0) worker.ready[FORWARD] = this.job.microBatches;
    }
    for (const worker of this.workers) this.work(worker);
  }

  timer(index: number, direction: number): void {
    const worker = this.workers[index]!;
    worker.busy = false;
    worker.done[direction]!++;
    if (direction === FORWARD) this.forwarded(worker);
    else this.returned(worker);
    this.work(worker);
  }

  delivered(_qp: number, number: number): void {
    this.connections.delivered(number);
  }

  completed(): void {}

  /** Computes what is there: all micro-batches forward, before any backward. */
  private work(worker: Worker): void {
    const { ready, done } = worker;
    const { microBatches, forward, backward } = this.job;
    if (worker.busy) return;
    const mayReturn = done[FORWARD] === microBatches && done[BACKWARD] < ready[BACKWARD];
    if (done[FORWARD] >= ready[FORWARD] && !mayReturn) return;
    const direction = mayReturn ? BACKWARD : FORWARD;
    worker.busy = true;
    const { events } = this.simulation;
    const index = worker.stage * this.replicas + worker.replica;
    events.schedule(events.now + (mayReturn ? backward : forward), EventKind.workload, index, direction);
  }

  private forwarded(worker: Worker): void {
    if (worker.stage === this.job.stages.length - 1) worker.ready[BACKWARD]++;
    else this.hand(worker, worker.stage + 1, FORWARD);
  }

  private returned(worker: Worker): void {
    if (worker.stage > 0) this.hand(worker, worker.stage - 1, BACKWARD);
    if (worker.done[BACKWARD] < this.job.microBatches) return;
    const left = this.replicasLeft[worker.stage]! - 1;
    this.replicasLeft[worker.stage] = left;
    if (left === 0) this.reduce(worker.stage);
  }

  private hand(worker: Worker, stage: number, direction: 0 | 1): void {
    const other = this.workers[stage * this.replicas + worker.replica]!;
    this.connections.send(worker.host, other.host, this.job.activations, () => {
      other.ready[direction]++;
      this.work(other);
    });
  }

  private reduce(stage: number): void {
    const members = this.job.stages[stage]!;
    if (members.length === 1) {
      this.reduced();
      return;
    }
    new GroupOperation(
      { kind: 'all-reduce', members, octets: this.job.gradients },
      (source, destination, octets, whole) => this.connections.send(source, destination, octets, whole),
      () => this.reduced(),
    ).start();
  }

  private reduced(): void {
    if (--this.stagesLeft > 0) return;
    this.iterationTimes.push(this.simulation.events.now - this.began);
    if (!this.isDone) this.start();
  }
}

/** Throws the reason why a job cannot be run. */
export function checkTraining(job: TrainingJob): void {
  const { stages, microBatches, activations, gradients, forward, backward, iterations } = job;
  const replicas = stages[0]?.length ?? 0;
  if (replicas === 0) throw new SimulationInputError('a training job without hosts');
  if (stages.some((hosts) => hosts.length !== replicas)) {
    throw new SimulationInputError('a training job whose stages have different numbers of replicas');
  }
  const hosts = stages.flat();
  if (new Set(hosts).size < hosts.length) throw new SimulationInputError('a training job that has a host twice');
  for (const [name, value] of Object.entries({ microBatches, activations, gradients, iterations })) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new SimulationInputError(`a training job with ${name} ${value}: it must be a whole number, 1 or more`);
  }
  if (!(forward >= 0 && backward >= 0))
    throw new SimulationInputError('a training job that computes for a negative time');
}
