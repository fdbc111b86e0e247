/**
 * One run of a study: a scheme and a seed. The seed draws the flows and everything that is random in the run; all schemes have the same flows of a
 * seed, so that what differs is the scheme.
 */
import { FabricSimulation } from '../../simulator/network/fabric-simulation.js';
import { type LinkChange, linkChanges, scheduleChanges } from '../../simulator/network/link-changes.js';
import { leavesOf, uplinksOf } from '../../simulator/network/topology.js';
import { FabricSampler, type TimeWindow } from '../../simulator/results/fabric-sampler.js';
import { FlowLog } from '../../simulator/results/flow-log.js';
import { type RunResult, runResult } from '../../simulator/results/run-result.js';
import { TimeAlone } from '../../simulator/results/time-alone.js';
import type { RoutingPlan } from '../../simulator/routes/speaker-fabric.js';
import { applyChange, forwardingBy, playSpeakers, type SpeakerRoutes } from '../../simulator/routes/speaker-routes.js';
import { type FlowRecord, flowRecords } from './flow-records.js';
import type { Study } from './study.js';
import type { ChosenScheme } from './study-schemes.js';
import { settingsOf } from './study-settings.js';
import { type StudyWorkload, workloadOf } from './study-workload.js';

/** How far a run is: messages that have ended, and simulated microseconds. */
export interface Progress {
  readonly finished: number;
  readonly messages: number;
  readonly now: number;
}

/** A run, and how long it took, in seconds: its packets, and the routers' play before them. */
export interface TimedRun {
  readonly result: RunResult;
  /** In the order of the list, when they were asked for. */
  readonly flows?: readonly FlowRecord[];
  readonly seconds: number;
  readonly routingSeconds: number;
}

export interface RunOptions {
  readonly progress?: (progress: Progress) => void;
  /** Whether every flow is wanted by itself. */
  readonly flows?: boolean;
}

/** Simulated picoseconds between two reports of progress. */
const PART = 50e6;
const PS_PER_MS = 1e9;
const PS_PER_US = 1e6;
/** How long after the last failure of a link routing is followed, picoseconds. */
const FOLLOWED = 200 * PS_PER_MS;

export async function runStudy(
  study: Study,
  scheme: ChosenScheme,
  seed: number,
  { progress = () => {}, flows = false }: RunOptions = {},
): Promise<TimedRun> {
  const started = performance.now();
  const plan = planOf(study, scheme);
  const routes = await routesOf(study, plan, seed);
  const simulation = new FabricSimulation({
    seed,
    ...settingsOf(study.topology, study.profile),
    forwarding: (topology, isUp) => forwardingBy(topology, routes, isUp),
    scheme: (context) => scheme.definition.create(context, scheme.options),
  });
  const played = performance.now();
  scheduleChanges(simulation, [
    ...linkChanges(simulation, linksOf(study)),
    ...routes.changes
      .filter(({ at }) => at > 0)
      .map((change) => ({ time: change.at, apply: () => applyChange(simulation.forwarding, change) })),
  ]);
  const load = workloadOf(study, seed, simulation, plan.planes);
  const log = flows && load.listed ? new FlowLog(simulation, load.messages) : undefined;
  log?.watch(load.listed!.list);
  const window = windowOf(study);
  const sampler = new FabricSampler(simulation, study.file['sample-interval'], {
    from: window.from,
    until: Math.min(window.until, load.arrivals),
  });
  sampler.start();
  play(simulation, load, study.file.limit, progress);
  sampler.finish();
  log?.finish();
  const alone = new TimeAlone(study.topology, study.profile.sizes);
  const outcomes = load.outcomes(alone);
  const result = runResult(simulation, sampler, {
    scheme: scheme.label,
    seed,
    outcomes,
    background: load.background?.(alone),
    window,
    messages: load.messages,
    finished: load.finished(),
    firstStart: load.firstStart,
    busBandwidth: load.busBandwidth(),
  });
  return {
    result,
    ...(log && { flows: flowRecords(study.topology, load.listed!.flows, { outcomes, log }) }),
    seconds: (performance.now() - played) / 1000,
    routingSeconds: (played - started) / 1000,
  };
}

function windowOf({ file: { measure } }: Study): TimeWindow {
  return { from: measure?.from ?? 0, until: measure?.until ?? Number.POSITIVE_INFINITY };
}

function play(
  simulation: FabricSimulation,
  load: StudyWorkload,
  limit: number,
  progress: (progress: Progress) => void,
): void {
  const { events } = simulation;
  const { workload, messages } = load;
  simulation.run(workload, 0);
  for (let end = PART; !workload.isDone && end - PART < limit; end += PART) {
    simulation.proceed(workload, Math.min(end, limit));
    progress({ finished: load.finished(), messages, now: events.now / PS_PER_US });
  }
}

/** Without colours a leaf has one prefix; with them one for each of its uplinks. */
function planOf({ topology }: Study, { definition }: ChosenScheme): RoutingPlan {
  if (!definition.coloured) return { planes: 1, coloured: false };
  return { planes: uplinksOf(topology, leavesOf(topology)[0]!).length, coloured: true };
}

/** What the study does to links, with the end of each failure where it has one. */
function linksOf({ failures, topology }: Study): LinkChange[] {
  return failures.flatMap(({ at, until, link, rate, loss }): LinkChange[] => {
    const ends = until === undefined ? [] : [until];
    const usual = topology.links[link]!;
    if (rate === undefined && loss === undefined) {
      return [{ time: at, link, kind: 'down' }, ...ends.map((time) => ({ time, link, kind: 'up' }) as const)];
    }
    return [
      ...(rate === undefined ? [] : [{ time: at, link, kind: 'rate', rate } as const]),
      ...(loss === undefined ? [] : [{ time: at, link, kind: 'loss', loss } as const]),
      ...ends.flatMap((time) => [
        { time, link, kind: 'rate', rate: usual.rate } as const,
        { time, link, kind: 'loss', loss: usual.loss } as const,
      ]),
    ];
  });
}

/** The routers' play of the last seed, by the number of planes: the schemes without colours have the same, and it takes about a second. */
type Plays = Map<number, { readonly seed: number; readonly routes: Promise<SpeakerRoutes> }>;
const plays = new WeakMap<Study, Plays>();

function routesOf(study: Study, plan: RoutingPlan, seed: number): Promise<SpeakerRoutes> {
  const known: Plays = plays.get(study) ?? new Map();
  plays.set(study, known);
  const last = known.get(plan.planes);
  if (last?.seed === seed) return last.routes;
  const routes = playRoutes(study, plan, seed);
  known.set(plan.planes, { seed, routes });
  return routes;
}

function playRoutes(study: Study, plan: RoutingPlan, seed: number): Promise<SpeakerRoutes> {
  const { topology, file } = study;
  const failures = linksOf(study).flatMap(({ time, link, kind }) =>
    kind === 'down' || kind === 'up' ? [{ at: time, link, up: kind === 'up' }] : [],
  );
  const last = Math.max(0, ...failures.map(({ at }) => at));
  return playSpeakers(topology, plan, failures, {
    seed,
    tableDelay: file['table-delay'] / PS_PER_MS,
    until: last + FOLLOWED,
  });
}
