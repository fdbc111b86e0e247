/** What hosts send in a run of a study. The seed draws it, so all schemes have the same of a seed. */

import type { Endpoints } from '../../simulator/hosts/queue-pairs.js';
import type { FabricSimulation, Workload } from '../../simulator/network/fabric-simulation.js';
import { leavesOfHosts, type Topology } from '../../simulator/network/topology.js';
import type { FlowOutcome } from '../../simulator/results/run-result.js';
import type { TimeAlone } from '../../simulator/results/time-alone.js';
import { SeededRandom } from '../../simulator/seeded-random.js';
import { plainAddressing } from '../../simulator/workload/addressing.js';
import { incast, poissonFlows, randomPermutation, stridePermutation } from '../../simulator/workload/arrivals.js';
import { backgroundSender, WithBackground } from '../../simulator/workload/background.js';
import { type CollectiveJob, Collectives } from '../../simulator/workload/collectives.js';
import { type ConnectionSettings, plainEndpoints, planeEndpoints } from '../../simulator/workload/connections.js';
import { serviceClassOf } from '../../simulator/workload/flow-class.js';
import { parseFlows } from '../../simulator/workload/flow-file.js';
import { type Addressing, type Cut, type Flow, FlowList, whole } from '../../simulator/workload/flow-list.js';
import { FLOW_SIZES, type FlowSizes } from '../../simulator/workload/flow-sizes.js';
import { checkOperation, operationBandwidth } from '../../simulator/workload/group-operation.js';
import { acrossLeaves } from '../../simulator/workload/rank-order.js';
import { ownSizes, parseSizePoints } from '../../simulator/workload/size-points.js';
import { subflows } from '../../simulator/workload/subflows.js';
import { checkTraining, Training, type TrainingJob } from '../../simulator/workload/training.js';
import type { FieldPath } from '../config/problem.js';
import { parseBeside } from './beside.js';
import { located, type Study } from './study.js';
import { atKey, StudyProblem } from './study-problem.js';
import type { StudyFile } from './study-schema.js';

const BACKGROUND_PORT = 30_000;
const BACKGROUND_SEED = 0x5eed;

export interface StudyWorkload {
  readonly workload: Workload;
  /** Messages in all, and how many have ended so far. */
  readonly messages: number;
  finished(): number;
  outcomes(alone: TimeAlone): FlowOutcome[];
  /** The flows beside it, that had started. */
  background?(alone: TimeAlone): FlowOutcome[];
  /** When the first of it starts, picoseconds. */
  readonly firstStart: number;
  /** Until when flows arrive, picoseconds; endless where they do not arrive one by one. */
  readonly arrivals: number;
  /** Gb/s, of collectives that have ended. */
  busBandwidth(): number | undefined;
  /** The flows, where the workload is a list of them. */
  readonly listed?: { readonly flows: readonly Flow[]; readonly list: FlowList };
}

/** @param planes addresses of a host: 1, or for subflows as many as its leaf has uplinks */
export function workloadOf(study: Study, seed: number, simulation: FabricSimulation, planes: number): StudyWorkload {
  const job = jobOf(study, seed, simulation, planes);
  return study.file.background ? besideBackground(study, job, { seed, simulation, planes }) : job;
}

function besideBackground(
  study: Study,
  job: StudyWorkload,
  {
    seed,
    simulation,
    planes,
  }: { readonly seed: number; readonly simulation: FabricSimulation; readonly planes: number },
): StudyWorkload {
  const flows = backgroundOf(study, seed);
  const cut = cutOf(study, addressingOf(study, flows, BACKGROUND_PORT), planes);
  const list = new FlowList(backgroundSender(simulation), flows, cut);
  return {
    ...job,
    workload: new WithBackground(job.workload, list),
    // Those that had started when the job was done.
    background: (alone) => outcomesOf(flows, list, alone).filter(({ start }) => start < simulation.events.now),
  };
}

function jobOf(study: Study, seed: number, simulation: FabricSimulation, planes: number): StudyWorkload {
  const { collective, training } = study.file.workload;
  if (collective) return collectiveOf(study, collective, simulation, planes);
  if (training) return trainingOf(study, training, simulation, planes);
  return flowListOf(study, seed, simulation, planes);
}

function flowListOf(study: Study, seed: number, simulation: FabricSimulation, planes: number): StudyWorkload {
  const flows = flowsOf(study, seed);
  const firstStart = flows.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY);
  const lastStart = flows.reduce((last, { start }) => Math.max(last, start), 0);
  const list = new FlowList(simulation, flows, cutOf(study, addressingOf(study, flows), planes));
  return {
    workload: list,
    messages: flows.length,
    firstStart,
    arrivals: lastStart > firstStart ? lastStart : Number.POSITIVE_INFINITY,
    finished: () => flows.length - list.left,
    outcomes: (alone) => outcomesOf(flows, list, alone),
    busBandwidth: () => undefined,
    listed: { flows, list },
  };
}

/** The class of service that the study's switches put a flow's packets in. */
function classIn({ profile }: Study, flow: Pick<Flow, 'dscp' | 'pcp'>): number {
  const isMarked = flow.dscp !== undefined || flow.pcp !== undefined;
  return serviceClassOf(isMarked ? flow : { dscp: profile.marks.data }, profile.classes);
}

function addressingOf(study: Study, flows: readonly Flow[], firstPort?: number): Addressing {
  const plain = plainAddressing(flows, firstPort);
  return (flow, index) => ({ ...plain(flow, index), serviceClass: classIn(study, flow) });
}

function cutOf({ profile }: Study, addressing: Addressing, planes: number): Cut {
  if (planes === 1) return whole(addressing);
  return subflows(planes, profile.sizes.payload, (flow, index, plane) =>
    inPlane(addressing(flow, index), plane, planes),
  );
}

function outcomesOf(flows: readonly Flow[], list: FlowList, alone: TimeAlone): FlowOutcome[] {
  return flows.map(({ source, destination, octets, start }, index) => ({
    octets,
    start,
    time: list.completionTimes[index]!,
    alone: alone.of(source, destination, octets),
  }));
}

type CollectiveFile = NonNullable<StudyFile['workload']['collective']>;
type TrainingFile = NonNullable<StudyFile['workload']['training']>;

function connectionsOf(study: Study, given: CollectiveFile | TrainingFile, planes: number): ConnectionSettings {
  const coloured = planes > 1;
  const endpoints = coloured ? planeEndpoints(planes) : plainEndpoints;
  const serviceClass = classIn(study, {});
  return {
    queuePairs: coloured ? planes : given['queue-pairs'],
    spread: coloured ? 'split' : given.spread,
    endpoints: (source, destination, number) => ({ ...endpoints(source, destination, number), serviceClass }),
  };
}

function collectiveOf(
  study: Study,
  given: CollectiveFile,
  simulation: FabricSimulation,
  planes: number,
): StudyWorkload {
  const jobs = jobsOf(study, given);
  const collectives = new Collectives(simulation, jobs, connectionsOf(study, given, planes));
  const times = collectives.completionTimes;
  return {
    workload: collectives,
    messages: jobs.length,
    firstStart: 0,
    arrivals: Number.POSITIVE_INFINITY,
    finished: () => times.reduce((count, time) => count + (Number.isNaN(time) ? 0 : 1), 0),
    outcomes: () => [],
    busBandwidth: () => {
      if (!collectives.isDone) return undefined;
      const slowest = Math.max(...times);
      return operationBandwidth(jobs[0]!, slowest).bus / 1000;
    },
  };
}

function jobsOf(study: Study, given: CollectiveFile): CollectiveJob[] {
  const { kind, octets } = given;
  const ordered = (members: readonly number[]) =>
    given.ranks === 'across-leaves' ? acrossLeaves(study.topology, members) : members;
  return groupsOf(study, given).map((members) => ({ kind, octets, members: ordered(members), start: 0 }));
}

/** Hosts by rank: all of the fabric, or those of each rail, over all stripes. */
function groupsOf({ topology, file }: Study, { groups }: CollectiveFile): number[][] {
  const all = Array.from({ length: topology.hosts }, (_, host) => host);
  if (groups === 'one') return [all];
  const rails = file.topology.rails?.rails;
  if (rails === undefined) {
    throw new StudyProblem(
      ['workload', 'collective', 'groups'],
      'rails are those of a topology of rails; expected groups: one, or another topology',
    );
  }
  return Array.from({ length: rails }, (_, rail) => all.filter((host) => host % rails === rail));
}

function trainingOf(study: Study, given: TrainingFile, simulation: FabricSimulation, planes: number): StudyWorkload {
  const training = new Training(simulation, trainingJobOf(study, given), connectionsOf(study, given, planes));
  return {
    workload: training,
    messages: given.iterations,
    firstStart: 0,
    arrivals: Number.POSITIVE_INFINITY,
    finished: () => training.iterationTimes.length,
    outcomes: () => [],
    busBandwidth: () => undefined,
  };
}

function trainingJobOf({ topology }: Study, given: TrainingFile): TrainingJob {
  const replicas = Math.floor(topology.hosts / given.stages);
  if (replicas === 0) {
    throw new StudyProblem(
      ['workload', 'training', 'stages'],
      `${given.stages} stages, and the fabric has ${topology.hosts} hosts; expected a host for each stage at least`,
    );
  }
  if (topology.hosts % given.stages !== 0) {
    const fitting = Array.from({ length: topology.hosts }, (_, index) => index + 1).filter(
      (stages) => topology.hosts % stages === 0,
    );
    const near = [fitting.findLast((stages) => stages < given.stages), fitting.find((stages) => stages > given.stages)];
    throw new StudyProblem(
      ['workload', 'training', 'stages'],
      `${given.stages} stages cannot share ${topology.hosts} hosts equally; expected a number such as ${near.join(' or ')}`,
    );
  }
  return {
    stages: Array.from({ length: given.stages }, (_, stage) =>
      Array.from({ length: replicas }, (_, replica) => stage * replicas + replica),
    ),
    microBatches: given['micro-batches'],
    activations: given.activations,
    gradients: given.gradients,
    forward: given.forward,
    backward: given.backward,
    iterations: given.iterations,
  };
}

/** The same ends by their addresses of another plane. */
function inPlane(ends: Endpoints, plane: number, planes: number): Endpoints {
  const [source, destination, ports, queuePair] = ends.words;
  return {
    ...ends,
    sourceAddress: ends.source * planes + plane,
    destinationAddress: ends.destination * planes + plane,
    words: [source + plane, destination + plane, ports, queuePair],
  };
}

/** What is wrong with the workload of a seed, in a line that says where. Throws SimulationInputError. */
export function checkWorkload(study: Study, seed: number): void {
  located(study, () => {
    const { collective, training } = study.file.workload;
    if (study.file.background) requireMeasured(study, backgroundOf(study, seed), `seed ${seed}: background flows`);
    if (collective) {
      atKey(['workload', 'collective'], () => jobsOf(study, collective).forEach(checkOperation));
    } else if (training) {
      atKey(['workload', 'training'], () => checkTraining(trainingJobOf(study, training)));
    } else {
      const flows = drawFlows(study, seed);
      if (flows.length === 0) {
        throw new StudyProblem(
          ['workload', 'poisson'],
          `seed ${seed} draws no flow at all; expected a longer duration or a higher load`,
        );
      }
      requireMeasured(study, flows, `seed ${seed}: flows`);
    }
  });
}

/** Throws StudyProblem when none of the flows starts in the part of the run that is measured. */
function requireMeasured({ file: { measure } }: Study, flows: readonly Flow[], what: string): void {
  if (!measure || flows.length === 0) return;
  const { from, until = Number.POSITIVE_INFINITY } = measure;
  if (flows.some(({ start }) => start >= from && start < until)) return;
  const first = flows.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const last = flows.reduce((most, { start }) => Math.max(most, start), 0);
  const when = first === last ? `at ${shortTime(first)}` : `from ${shortTime(first)} to ${shortTime(last)}`;
  throw new StudyProblem(
    ['measure', last < from ? 'from' : 'until'],
    `${what} start ${when}; expected a part of the run in which some do`,
  );
}

const PS_PER_US = 1e6;

function shortTime(picoseconds: number): string {
  return `${Math.round(picoseconds / PS_PER_US)}us`;
}

/** The flows of a seed. Throws SimulationInputError, in a line that says where. */
export function flowsOf(study: Study, seed: number): Flow[] {
  return located(study, () => drawFlows(study, seed));
}

function drawFlows(study: Study, seed: number): Flow[] {
  const { workload } = study.file;
  const [kind] = Object.entries(workload).find(([, value]) => value !== undefined)!;
  return atKey(['workload', kind], () => flowsOfKind(study, new SeededRandom(seed)));
}

function flowsOfKind(study: Study, random: SeededRandom): Flow[] {
  const { file, folder, topology, profile } = study;
  const { poisson, permutation, incast, 'flow-file': flowFile } = file.workload;
  const draw = () => random.next();
  if (poisson) return arrivalsOf(study, ['workload', 'poisson'], { given: poisson, draw });
  if (permutation) {
    const { octets, stride, start, within } = permutation;
    const bulk = { octets, start };
    const flows =
      stride === undefined ? randomPermutation(topology, bulk, draw) : stridePermutation(topology, stride, bulk);
    return within === 0 ? flows : flows.map((flow) => ({ ...flow, start: start + Math.floor(draw() * within) }));
  }
  if (incast) return incastOf(topology, incast);
  if (flowFile !== undefined) {
    return parseBeside(folder, flowFile, (text) => parseFlows(text, topology, profile.classes));
  }
  const kind = file.workload.collective ? 'collective' : 'training';
  throw new StudyProblem(['workload', kind], 'no list of flows; expected poisson, permutation, incast or flow-file');
}

type ArrivalsFile = NonNullable<StudyFile['background']>;

/** Random flows of a section of the study. Throws StudyProblem. */
function arrivalsOf(
  { topology, folder }: Study,
  section: FieldPath,
  { given, draw }: { readonly given: ArrivalsFile; readonly draw: () => number },
): Flow[] {
  const sizes = atKey([...section, 'sizes'], () => sizesOf(given.sizes, folder));
  return atKey(section, () => poissonFlows(topology, { sizes, load: given.load, duration: given.duration }, draw));
}

function sizesOf(given: ArrivalsFile['sizes'], folder: string): FlowSizes {
  if (typeof given === 'string') return FLOW_SIZES.find(({ name }) => name === given)!;
  if (!('file' in given)) return ownSizes('sizes', given);
  return parseBeside(folder, given.file, (text) => ownSizes(given.file, parseSizePoints(text)));
}

/** Drawn apart from the workload's own flows, which are the same with and without. */
function backgroundOf(study: Study, seed: number): Flow[] {
  const random = new SeededRandom(seed ^ BACKGROUND_SEED);
  return arrivalsOf(study, ['background'], { given: study.file.background!, draw: () => random.next() });
}

function incastOf(topology: Topology, given: NonNullable<StudyFile['workload']['incast']>): Flow[] {
  const receiver = topology.names.slice(0, topology.hosts).indexOf(given.receiver);
  if (receiver < 0) {
    throw new StudyProblem(
      ['workload', 'incast', 'receiver'],
      `there is no host ${given.receiver} in the fabric; expected host1 to host${topology.hosts}`,
    );
  }
  const leaves = leavesOfHosts(topology);
  const others = Array.from({ length: topology.hosts }, (_, host) => host).filter((host) => host !== receiver);
  const farFirst = others.sort(
    (a, b) => Number(leaves[a] === leaves[receiver]) - Number(leaves[b] === leaves[receiver]) || a - b,
  );
  if (given.senders > farFirst.length) {
    throw new StudyProblem(
      ['workload', 'incast', 'senders'],
      `${given.senders} senders; expected ${farFirst.length} at most, the other hosts of the fabric`,
    );
  }
  return incast(topology, receiver, { senders: farFirst.slice(0, given.senders), octets: given.octets, start: 0 });
}
